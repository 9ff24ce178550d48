import { newestAudit } from '../../store/records/audit.ts';
import type { Database } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

const ACTION = 'delivery.fast_forward';

/**
 * Skips the wait before the next attempt, in the sandbox only: a partner sees seven days of retries in
 * seconds, with one call for each. The calls that follow each other share one audit row. The attempt uses a step of the schedule, so the last one exhausts the
 * delivery. Unlike a retry, this never revives a settled delivery, so a caller that repeats it comes to an
 * end. It changes nothing if the next attempt is due or in flight already.
 */
export async function fastForwardDelivery(
  environment: SupportEnvironment,
  actor: string,
  id: string,
): Promise<ShownDelivery> {
  if (environment.name !== 'sandbox') throw new Problem('sandbox_only');
  const found = await findDelivery(environment.store.db, id);
  if (found.state !== 'pending') {
    throw new Problem(
      'delivery_settled',
      `The delivery is ${found.state}; there is no attempt to fast-forward.`,
    );
  }
  const before = showDelivery(environment, found);
  if (before.in_flight || (found.dueAtMs ?? 0) <= environment.clock.now()) return before;
  return environment.store.change(actor, async ({ db, audit, auditMore, queue }) => {
    const isForward = await queue.fastForward(found.seq, found.retriesUsed);
    // Rolls back, so there is no audit row either.
    if (!isForward) throw new Problem('changed_meanwhile');
    const after = showDelivery(environment, await findDelivery(db, id));
    const { next_attempt_at } = after;
    const earlier = await forwardedBefore(db, actor, id);
    if (earlier) {
      await auditMore(earlier.id, { next_attempt_at, waits_skipped: earlier.skipped + 1 });
    } else {
      const was = { next_attempt_at: before.next_attempt_at };
      await audit(ACTION, id, was, { next_attempt_at, waits_skipped: 1 });
    }
    return after;
  });
}

/** The newest audit row of the delivery, if this actor has fast-forwarded it and nothing was done to it since. */
async function forwardedBefore(
  db: Database,
  actor: string,
  id: string,
): Promise<{ id: string; skipped: number } | undefined> {
  const [newest] = await newestAudit(db, { limit: 1 }, { subject: id });
  if (newest?.action !== ACTION || newest.actor !== actor) return undefined;
  const { waits_skipped = 1 } = JSON.parse(newest.after ?? '{}') as { waits_skipped?: number };
  return { id: newest.id, skipped: waits_skipped };
}
