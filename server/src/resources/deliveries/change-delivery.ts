/** What support does to one delivery: retry, cancel, acknowledge, fast-forward. */
import type { Static } from 'typebox';
import { noteChangedDeliveries } from '../../store/audit-partners.ts';
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import { newestAudit } from '../audit/queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { input, reason } from '../forms.ts';
import { queuedFor } from '../midoffices/midoffice.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import { type Delivery, findDelivery, showDelivery } from './deliveries.ts';
import { midofficeNow } from './sent-again.ts';

/**
 * Requests an attempt now. A pending delivery continues its schedule afterwards; the attempt uses no step of
 * it. If an attempt is in flight and fails, the requested one follows it. A settled delivery is delivered
 * again, with a whole schedule, where its partner's webhooks go now. So is an unrouted one, if its partner has a
 * midoffice now. `checkReceiver` throws if it may not be sent there.
 */
export async function retryDelivery(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  checkReceiver?: (db: Database, midofficeId: string) => Promise<void>,
): Promise<Delivery> {
  return environment.store.change(actor, async ({ db, audit, queue }) => {
    await queue.lock((await findDelivery(db, id)).seq);
    const before = await findDelivery(db, id);
    const midoffice = await midofficeNow(db, before);
    if (!midoffice) throw new Problem('no_midoffice');
    await checkReceiver?.(db, midoffice.id);
    await queue.retry(before.seq, queuedFor(midoffice));
    const after = await findDelivery(db, id);
    const changed = { state: after.state };
    const entry = await audit('delivery.retry', id, { state: before.state }, changed);
    await noteChangedDeliveries(db, entry, [before.seq]);
    return showDelivery(environment, after);
  });
}

export const Cancellation = input('Cancellation', { reason: Type.Optional(reason) });

/** Why it needs no recovery. */
export const Acknowledgement = input('Acknowledgement', { reason: Type.Optional(reason) });

/** Says that an exhausted delivery needs no recovery, so that it is nobody's task any more. Again changes nothing. */
export async function acknowledgeDelivery(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  { reason }: Static<typeof Acknowledgement> = {},
): Promise<Delivery> {
  return environment.store.change(actor, async ({ db, audit, queue, unchanged }) => {
    const { seq } = await findDelivery(db, id);
    const isNew = (await queue.acknowledge([seq])).length > 0;
    const after = showDelivery(environment, await findDelivery(db, id));
    if (!isNew && after.acknowledged_at !== null) return unchanged(after);
    if (!isNew) {
      throw new Problem(
        'delivery_not_exhausted',
        `The delivery is ${after.state}; only exhausted ones can be acknowledged.`,
      );
    }
    const entry = await audit('delivery.acknowledge', id, null, {
      acknowledged_at: after.acknowledged_at,
      ...(reason !== undefined && { reason }),
    });
    await noteChangedDeliveries(db, entry, [seq]);
    return after;
  });
}

/**
 * Stops further attempts, or a delivery that waits for a midoffice. An attempt in flight is not aborted: it is
 * recorded and changes nothing. Cancelling again changes nothing. The audit keeps the reason.
 */
export async function cancelDelivery(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  { reason }: Static<typeof Cancellation> = {},
): Promise<Delivery> {
  return environment.store.change(actor, async ({ db, audit, queue, unchanged }) => {
    const { seq } = await findDelivery(db, id);
    const isCancelled = await queue.cancel(seq);
    const after = await findDelivery(db, id);
    // Somebody else was faster.
    if (!isCancelled && after.state === 'cancelled')
      return unchanged(showDelivery(environment, after));
    if (!isCancelled) {
      throw new Problem(
        'delivery_settled',
        `The delivery is ${after.state}; there are no attempts to cancel.`,
      );
    }
    const entry = await audit(
      'delivery.cancel',
      id,
      { state: after.midoffice_id === null ? 'unrouted' : 'pending' },
      { state: after.state, ...(reason !== undefined && { reason }) },
    );
    await noteChangedDeliveries(db, entry, [seq]);
    return showDelivery(environment, after);
  });
}

const FAST_FORWARD = 'delivery.fast_forward';

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
): Promise<Delivery> {
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
      await auditSkip(change, actor, found.seq, before, after);
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
  seq: number,
  before: Delivery,
  { id, next_attempt_at }: Delivery,
): Promise<void> {
  const earlier = await forwardedBefore(db, actor, id);
  if (earlier) {
    await auditMore(earlier.id, { next_attempt_at, waits_skipped: earlier.skipped + 1 });
  } else {
    const was = { next_attempt_at: before.next_attempt_at };
    const entry = await audit(FAST_FORWARD, id, was, { next_attempt_at, waits_skipped: 1 });
    await noteChangedDeliveries(db, entry, [seq]);
  }
}

/** The newest audit row of the delivery, if this actor has fast-forwarded it and nothing was done to it since. */
async function forwardedBefore(
  db: Database,
  actor: string,
  id: string,
): Promise<{ id: string; skipped: number } | undefined> {
  const [newest] = await newestAudit(db, { limit: 1 }, { subject: id });
  if (newest?.action !== FAST_FORWARD || newest.actor !== actor) return undefined;
  const { waits_skipped = 1 } = JSON.parse(newest.after ?? '{}') as { waits_skipped?: number };
  return { id: newest.id, skipped: waits_skipped };
}
