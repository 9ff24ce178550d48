/** What is pending, what is in flight and on which node, and how the last attempt ended. */
import type { Static } from 'typebox';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import { readBacklog, readBacklogOf, readExhausted } from '../../store/queue/backlog.ts';
import { countInFlight as countOnAllNodes, readOwners } from '../../store/queue/owners.ts';
import type { AttemptRow, Database } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { reply, time, wholeListOf } from '../forms.ts';
import { Type } from '../type.ts';
import { showAttempt } from './attempts.ts';

/** For the whole environment, or for one midoffice. */
export async function showBacklog(db: Database, midofficeId?: string) {
  const { pending, oldestAtMs } =
    midofficeId === undefined ? await readBacklog(db) : await readBacklogOf(db, midofficeId);
  return { pending, oldest_pending_at: isoOrNull(oldestAtMs) };
}

/** More pending deliveries of a midoffice than this are not counted in lists. */
export const MOST_PENDING = 10_000;

/** More exhausted deliveries than this are not counted: of a midoffice, and of all. */
export const MOST_EXHAUSTED = { ofMidoffice: 10_000, ofAll: 100_000 };

/** What was given up and nobody has recovered or acknowledged; of all midoffices, or of one. */
export async function showExhausted(db: Database, midofficeId?: string) {
  const most = midofficeId === undefined ? MOST_EXHAUSTED.ofAll : MOST_EXHAUSTED.ofMidoffice;
  const { exhausted, oldestAtMs } = await readExhausted(db, most, midofficeId);
  return { exhausted, oldest_exhausted_at: isoOrNull(oldestAtMs) };
}

/** An embedded database belongs to this process alone, so the process's own count is complete. */
export async function countInFlight({
  store,
  webhooks,
  clock,
}: SupportEnvironment): Promise<number> {
  if (store.engine === 'sqlite') return webhooks.attemptsInFlight();
  return countOnAllNodes(store.db, clock.now());
}

export function showLastAttempt(row: AttemptRow) {
  return { delivery_id: deliveryId(row.delivery_seq), ...showAttempt(row) };
}

const DeliveryNode = reply('DeliveryNode', {
  id: like(story.node),
  host: like('bellhop-0'),
  since: time,
  shards: Type.Array(Type.Integer(), { description: 'The shards that it delivers for.' }),
  in_flight: Type.Integer({ description: 'Attempts under way, to within about a second.' }),
});

export const DeliveryNodes = reply('DeliveryNodes', {
  ...wholeListOf(DeliveryNode).properties,
  unowned: Type.Array(Type.Integer(), {
    description: 'Shards that no node delivers for at the moment.',
  }),
});

/** Which node delivers for which shards of midoffices, and which shards no node owns at the moment. */
export async function listDeliveryNodes({
  store,
  webhooks,
  clock,
}: SupportEnvironment): Promise<Static<typeof DeliveryNodes>> {
  const { nodes, unowned } = await readOwners(store.db, clock.now());
  return {
    items: nodes.map((node) => ({
      ...node,
      since: new Date(node.since).toISOString(),
      // The embedded node is this process, which renews no leases and has its own, current count.
      in_flight: store.engine === 'sqlite' ? webhooks.attemptsInFlight() : node.in_flight,
    })),
    next_cursor: null,
    unowned,
  };
}
