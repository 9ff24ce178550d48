/** What waits to be delivered, what is under way, and how the last attempt went. */
import type { Kysely } from 'kysely';
import { deliveryId } from '../../orders/order-event.ts';
import { readBacklog } from '../../store/queue/backlog.ts';
import { countInFlight as countOnAllNodes } from '../../store/queue/owners.ts';
import type { Schema } from '../../store/schema.ts';
import { type Desk, isoOrNull } from '../environment.ts';
import { showAttempt } from './attempts.ts';

export interface Backlog {
  pending: number;
  oldest_pending_at: string | null;
}

/** Of the whole environment, or of one midoffice. */
export async function showBacklog(db: Kysely<Schema>, midofficeId?: string): Promise<Backlog> {
  const { pending, oldestAtMs } = await readBacklog(db, midofficeId);
  return { pending, oldest_pending_at: isoOrNull(oldestAtMs) };
}

/** The embedded database belongs to this process alone, so its own count is the whole count. */
export async function countInFlight({ store, webhooks, clock }: Desk): Promise<number> {
  if (store.engine === 'sqlite') return webhooks.attemptsInFlight();
  return countOnAllNodes(store.db, clock.now());
}

/** The latest attempt for each of these midoffices that has one; behind by a few seconds at most. */
export async function lastAttemptsOf(db: Kysely<Schema>, midofficeIds: readonly string[]) {
  if (midofficeIds.length === 0) return new Map<string, ShownLastAttempt>();
  const rows = await db
    .selectFrom('last_attempt')
    .innerJoin('attempt', (join) =>
      join
        .onRef('attempt.delivery_seq', '=', 'last_attempt.delivery_seq')
        .onRef('attempt.number', '=', 'last_attempt.number'),
    )
    .selectAll('attempt')
    .select('last_attempt.midoffice_id')
    .where('last_attempt.midoffice_id', 'in', midofficeIds)
    .execute();
  return new Map(rows.map((row) => [row.midoffice_id, showLastAttempt(row)]));
}

function showLastAttempt(row: Parameters<typeof showAttempt>[0] & { delivery_seq: number }) {
  return { delivery_id: deliveryId(row.delivery_seq), ...showAttempt(row) };
}

export type ShownLastAttempt = ReturnType<typeof showLastAttempt>;
