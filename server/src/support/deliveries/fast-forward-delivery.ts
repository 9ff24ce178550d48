import type { Desk } from '../environment.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

/**
 * Skips the wait before the next attempt, in the sandbox only: a partner sees seven days of retries
 * in seconds, one call for each. The attempt is the schedule's own and counts as such, so the last
 * one exhausts the delivery. Unlike a retry this never revives what is settled, so whoever calls it
 * again and again comes to an end. What is due or under way already is left to it.
 */
export async function fastForwardDelivery(
  desk: Desk,
  actor: string,
  id: string,
): Promise<ShownDelivery> {
  if (desk.environment !== 'sandbox') throw new Problem('sandbox_only');
  const found = await findDelivery(desk.store.db, id);
  if (found.state !== 'pending') {
    throw new Problem('delivery_settled', `The delivery is ${found.state}; no attempt is to come.`);
  }
  const before = showDelivery(desk, found);
  if (before.in_flight || (found.dueAtMs ?? 0) <= desk.clock.now()) return before;
  return desk.store.change(actor, async ({ db, audit, queue }) => {
    const isForward = await queue.fastForward(found.seq, found.retriesUsed);
    // Nothing is written then, neither here nor in the audit.
    if (!isForward) throw new Problem('changed_meanwhile');
    const after = showDelivery(desk, await findDelivery(db, id));
    await audit(
      'delivery.fast_forward',
      id,
      { next_attempt_at: before.next_attempt_at },
      { next_attempt_at: after.next_attempt_at },
    );
    return after;
  });
}
