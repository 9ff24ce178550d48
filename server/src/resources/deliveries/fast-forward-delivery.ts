import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import { newestAudit } from '../audit/queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

const ACTION = 'delivery.fast_forward';

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
  return environment.store.change(actor, async (change) => {
    const { db, queue, unchanged } = change;
    const found = await findDelivery(db, id);
    const before = showDelivery(environment, found);
    if (isUnderWay(environment, found)) return unchanged(before);
    const isForward = await queue.fastForward(found.seq, found.retries_used);
    const foundAfter = await findDelivery(db, id);
    const after = showDelivery(environment, foundAfter);
    if (isForward) {
      await auditSkip(change, actor, before, after);
      return after;
    }
    // Somebody else was faster, or an attempt was made meanwhile.
    if (isUnderWay(environment, foundAfter)) return unchanged(after);
    throw new Problem('changed_meanwhile');
  });
}

/** Throws if it is settled. */
function isUnderWay({ webhooks, clock }: SupportEnvironment, found: FoundDelivery): boolean {
  if (found.state !== 'pending') {
    throw new Problem(
      'delivery_settled',
      `The delivery is ${found.state}; there is no attempt to fast-forward.`,
    );
  }
  return webhooks.isInFlight(found.seq) || (found.due_at ?? 0) <= clock.now();
}

/** Skips that follow each other share one audit row. */
async function auditSkip(
  { db, audit, auditMore }: Change,
  actor: string,
  before: ShownDelivery,
  { id, next_attempt_at }: ShownDelivery,
): Promise<void> {
  const earlier = await forwardedBefore(db, actor, id);
  if (earlier) {
    await auditMore(earlier.id, { next_attempt_at, waits_skipped: earlier.skipped + 1 });
  } else {
    const was = { next_attempt_at: before.next_attempt_at };
    await audit(ACTION, id, was, { next_attempt_at, waits_skipped: 1 });
  }
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
