import { randomUUID } from 'node:crypto';
import { type ShownAttempt, showRecord } from '../deliveries/attempts.ts';
import type { Desk } from '../environment.ts';
import { findMidoffice } from './midoffices.ts';

/** One signed attempt now, for an order that does not exist. It is not retried and not kept. */
export async function sendTestEvent(
  desk: Desk,
  actor: string,
  midofficeId: string,
): Promise<ShownAttempt> {
  await findMidoffice(desk.store.db, midofficeId);
  const attempt = await desk.webhooks.attemptNow(midofficeId, {
    type: 'updated',
    partnerOrderId: `test-${randomUUID()}`,
  });
  const shown = showRecord(attempt);
  const { outcome, status_code, error } = shown;
  await desk.store.change(actor, ({ audit }) =>
    audit('midoffice.test_event', midofficeId, null, { outcome, status_code, error }),
  );
  return shown;
}
