import type { Static } from 'typebox';
import {
  countGivenUp,
  findGivenUp,
  type GivenUp,
  stillGivenUp,
} from '../../store/queue/given-up.ts';
import { findDeliveries } from '../../store/queue/list.ts';
import type { Database } from '../../store/schema.ts';
import { newestAudit } from '../audit/queries.ts';
import { firstOrders } from '../deliveries/queries.ts';
import { nameSent, sentDeliveries } from '../deliveries/sent.ts';
import { withMidoffices } from '../deliveries/sent-again.ts';
import type { SupportEnvironment } from '../environment.ts';
import { givenTime, input, reply } from '../forms.ts';
import { changeInBatches } from '../in-batches.ts';
import { invalidField, Problem, readTime } from '../problem.ts';
import { Type } from '../type.ts';
import { findMidoffice } from './midoffice.ts';

const MOST_RECOVERED = 10_000;

export const Recovery = input('Recovery', {
  since: givenTime(),
  until: Type.Optional(givenTime()),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Only count what would be requeued; nothing changes.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_RECOVERED,
      description: 'Requeue at most this many, the oldest first; the reply says how many remain.',
    }),
  ),
});

export const Recovered = reply('Recovered', {
  requeued: Type.Integer(),
  ...sentDeliveries,
  remaining: Type.Optional(Type.Integer({ description: 'Only where a limit was given.' })),
});

/**
 * Queues again, with a whole schedule, the deliveries that were accepted in that time and were given up there, and those
 * of partners that work with it now which were given up elsewhere or are unrouted. Each goes where the webhooks of its
 * partner go now. Which these are is found beforehand; one that was sent meanwhile is left alone.
 */
export async function recoverMidoffice(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  input: Static<typeof Recovery>,
): Promise<Static<typeof Recovered>> {
  return recover(environment, actor, { midofficeId: id }, input);
}

/** Each throws if the partner has done it too often. They are asked once it is known that it can be done. */
export interface Turns {
  count(): Promise<void>;
  send(): Promise<void>;
}

/** The same for the orders of one partner: others may share its midoffice. The audit has it under the partner. */
export async function recoverPartner(
  environment: SupportEnvironment,
  actor: string,
  whose: { midofficeId: string; partnerId: string },
  input: Static<typeof Recovery> & { expected?: number | undefined },
  turns: Turns,
): Promise<Static<typeof Recovered>> {
  return recover(environment, actor, whose, input, turns);
}

async function recover(
  { store, clock }: SupportEnvironment,
  actor: string,
  whose: { midofficeId: string; partnerId?: string },
  {
    dry_run,
    limit,
    expected,
    ...span
  }: Static<typeof Recovery> & { expected?: number | undefined },
  turns?: Turns,
): Promise<Static<typeof Recovered>> {
  const { db } = store;
  const { midofficeId: id, partnerId } = whose;
  await findMidoffice(db, id);
  const which: GivenUp = { ...whose, ...readSpan(span, clock.now()) };
  if (dry_run || expected !== undefined) await turns?.count();
  if (dry_run) return { requeued: await countGivenUp(db, which) };
  if (expected !== undefined && expected !== (await countGivenUp(db, which))) {
    throw new Problem('count_changed');
  }
  await turns?.send();
  const seqs = await findGivenUp(db, which, limit ?? Number.POSITIVE_INFINITY);
  const entry =
    partnerId === undefined
      ? { action: 'midoffice.recover', subject: id }
      : { action: 'partner.recover', subject: partnerId };
  const earlier = await recoveredBefore(db, actor, entry, span);
  const named = nameSent(limit);
  const orders = earlier?.orders ?? (await firstOrders(db, seqs));
  const requeued = await changeInBatches(store, actor, {
    ...entry,
    continues: earlier?.id,
    seqs,
    async find(batch) {
      const still = await stillGivenUp(db, which, batch);
      const found = still.length > 0 ? await findDeliveries(db, { seqs: still }, still.length) : [];
      return withMidoffices(db, found);
    },
    change: (queue, found) => queue.retryMany(found),
    after: (more) => ({ ...span, requeued: (earlier?.requeued ?? 0) + more, orders }),
    named,
  });
  if (limit === undefined) return { requeued };
  return { requeued, ...named.reply(), remaining: await countGivenUp(db, which) };
}

/**
 * The audit's newest entry about the midoffice or the partner, if this actor has recovered the same span with it. Callers who show a
 * progress recover in parts, and all of them are one recovery.
 */
async function recoveredBefore(
  db: Database,
  actor: string,
  { action, subject }: { action: string; subject: string },
  { since, until }: Pick<Static<typeof Recovery>, 'since' | 'until'>,
): Promise<{ id: string; requeued: number; orders?: string[] | undefined } | undefined> {
  const [newest] = await newestAudit(db, { limit: 1 }, { subject });
  if (newest?.action !== action || newest.actor !== actor || until === undefined) return undefined;
  const recorded = JSON.parse(newest.after ?? '{}') as Static<typeof Recovery> & {
    requeued: number;
    orders?: string[];
  };
  if (recorded.since !== since || recorded.until !== until) return undefined;
  return { id: newest.id, requeued: recorded.requeued, orders: recorded.orders };
}

function readSpan({ since, until }: Static<typeof Recovery>, nowMs: number) {
  const sinceMs = readTime(since, '/since');
  const untilMs = until === undefined ? nowMs : readTime(until, '/until');
  if (sinceMs <= untilMs) return { sinceMs, untilMs };
  const isDefault = until === undefined ? ', which is now if left out' : '';
  throw invalidField('/since', `must not be after until${isDefault}`);
}
