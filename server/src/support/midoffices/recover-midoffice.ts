import { setImmediate as nextTurn } from 'node:timers/promises';
import { countGivenUp, type GivenUp, pickGivenUp } from '../../store/queue/given-up.ts';
import { readTime } from '../deliveries/deliveries.ts';
import type { Desk } from '../environment.ts';
import { findMidoffice, queuedFor } from './midoffices.ts';

/** Requeued in one transaction; small, so that neither flow waits long for it. */
const AT_ONCE = 1_000;
export const MOST_RECOVERED = 10_000;

export interface RecoveryInput {
  since: string;
  until?: string;
  /** Only count what would be requeued. */
  dry_run?: boolean;
  /** Requeue this many at most, the oldest, and count the rest. */
  limit?: number;
}

/** Everything of a midoffice that was given up or had none, accepted in that time, gets a new schedule. */
export async function recoverMidoffice(
  desk: Desk,
  actor: string,
  id: string,
  { dry_run, limit, ...span }: RecoveryInput,
): Promise<{ requeued: number; remaining?: number }> {
  const { db } = desk.store;
  await findMidoffice(db, id);
  const which: GivenUp = {
    midofficeId: id,
    sinceMs: readTime(span.since, '/since'),
    untilMs: span.until === undefined ? desk.clock.now() : readTime(span.until, '/until'),
  };
  if (dry_run) return { requeued: await countGivenUp(db, which) };
  const most = limit ?? Number.POSITIVE_INFINITY;
  let requeued = 0;
  let after = 0;
  for (;;) {
    const size = Math.min(AT_ONCE, most - requeued);
    const batch = await desk.store.change(actor, async ({ db, audit, queue }) => {
      const seqs = await pickGivenUp(db, which, after, size);
      const queued = await queue.requeue(seqs, queuedFor(await findMidoffice(db, id)));
      await audit('midoffice.recover', id, null, { ...span, requeued: queued });
      return { seqs, queued };
    });
    requeued += batch.queued;
    if (batch.seqs.length < size || requeued >= most) break;
    after = batch.seqs[batch.seqs.length - 1] as number;
    await nextTurn();
  }
  if (limit === undefined) return { requeued };
  return { requeued, remaining: await countGivenUp(db, which) };
}
