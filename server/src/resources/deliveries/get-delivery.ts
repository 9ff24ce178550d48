import type { SupportEnvironment } from '../environment.ts';
import { readAttempts } from './attempt-queries.ts';
import { type ShownAttempt, showAttempt } from './attempts.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';
import { futureAttempts } from './future-attempts.ts';
import { requestAsSent, type SentRequest } from './request-as-sent.ts';
import { whyFailed } from './why-failed.ts';

/** One delivery with its past and future attempts, and why the last one failed. */
export async function getDelivery(
  environment: SupportEnvironment,
  id: string,
): Promise<
  ShownDelivery & {
    attempts: (ShownAttempt & { request: SentRequest | null })[];
    future_attempts: string[];
    why: string | null;
  }
> {
  const { store, webhooks, clock } = environment;
  const found = await findDelivery(store.db, id);
  const attempts = await readAttempts(store.db, found.seq);
  const last = attempts.at(-1);
  const shown = showDelivery(environment, found);
  return {
    ...shown,
    attempts: attempts.map((attempt) => ({
      ...showAttempt(attempt),
      request: requestAsSent(found, attempt),
    })),
    future_attempts: futureAttempts(found, shown.in_flight, webhooks.retrySchedule, clock.now()),
    why: last?.outcome === 'failed' ? whyFailed(last, { isOver: found.state !== 'pending' }) : null,
  };
}
