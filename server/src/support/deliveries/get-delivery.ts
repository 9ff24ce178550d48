import type { Desk } from '../environment.ts';
import { type ShownAttempt, showAttempt } from './attempts.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';
import { futureAttempts } from './future-attempts.ts';
import { requestAsSent, type SentRequest } from './request-as-sent.ts';
import { whyFailed } from './why-failed.ts';

/** One delivery with all its attempts, those that are still to come, and why the last one failed. */
export async function getDelivery(
  desk: Desk,
  id: string,
): Promise<
  ShownDelivery & {
    attempts: (ShownAttempt & { request: SentRequest | null })[];
    future_attempts: string[];
    why: string | null;
  }
> {
  const found = await findDelivery(desk.store.db, id);
  const attempts = await desk.store.db
    .selectFrom('attempt')
    .selectAll()
    .where('delivery_seq', '=', found.seq)
    .orderBy('number')
    .execute();
  const last = attempts.at(-1);
  const shown = showDelivery(desk, found);
  return {
    ...shown,
    attempts: attempts.map((attempt) => ({
      ...showAttempt(attempt),
      request: requestAsSent(found, attempt),
    })),
    future_attempts: futureAttempts(
      found,
      shown.in_flight,
      desk.webhooks.retrySchedule,
      desk.clock.now(),
    ),
    why: last?.outcome === 'failed' ? whyFailed(last, { isOver: found.state !== 'pending' }) : null,
  };
}
