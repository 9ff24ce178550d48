import { randomUUID } from 'node:crypto';
import { type ShownAttempt, showRecord } from '../deliveries/attempts.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findMidoffice } from './midoffices.ts';

/** Sends one signed webhook now, for an order that does not exist. It is neither retried nor stored. */
export async function sendTestEvent(
  { store, webhooks }: SupportEnvironment,
  actor: string,
  midofficeId: string,
): Promise<ShownAttempt> {
  await findMidoffice(store.db, midofficeId);
  const attempt = await webhooks.attemptNow(midofficeId, {
    type: 'updated',
    partnerOrderId: `test-${randomUUID()}`,
  });
  const shown = showRecord(attempt);
  const { outcome, status_code, error } = shown;
  await store.change(actor, ({ audit }) =>
    audit('midoffice.test_event', midofficeId, null, { outcome, status_code, error }),
  );
  return shown;
}
