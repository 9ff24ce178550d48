import type { SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

/**
 * Skips the wait before the next attempt, in the sandbox only: a partner sees seven days of retries in
 * seconds, with one call for each. The attempt uses a step of the schedule, so the last one exhausts the
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
  return environment.store.change(actor, async ({ db, audit, queue }) => {
    const isForward = await queue.fastForward(found.seq, found.retriesUsed);
    // Rolls back, so there is no audit row either.
    if (!isForward) throw new Problem('changed_meanwhile');
    const after = showDelivery(environment, await findDelivery(db, id));
    await audit(
      'delivery.fast_forward',
      id,
      { next_attempt_at: before.next_attempt_at },
      { next_attempt_at: after.next_attempt_at },
    );
    return after;
  });
}
