import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { Database } from '../../store/schema.ts';
import { AttemptWithRequest, requestAsSent, showAttempt } from '../deliveries/attempts.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { reply, time } from '../forms.ts';
import { findMidoffice } from './midoffice.ts';
import { readTestEvent, writeTestEvent } from './queries.ts';

type TestAttempt = Static<typeof AttemptWithRequest>;

export const LastTest = reply('LastTest', {
  at: time,
  actor: like(story.actor),
  attempt: AttemptWithRequest,
});

/**
 * Sends one signed webhook now, for an order that does not exist. It is not retried. The audit keeps what was
 * sent each time; the midoffice shows the latest.
 */
export async function sendTestEvent(
  { store, webhooks }: SupportEnvironment,
  actor: string,
  midofficeId: string,
): Promise<TestAttempt> {
  await findMidoffice(store.db, midofficeId);
  const id = `test-${randomUUID()}`;
  const unknown = { agreement_number: null, status: null };
  const event = { event_id: id, type: 'updated', partner_order_id: id, ...unknown } as const;
  const attempt = await webhooks.attemptNow(midofficeId, event);
  const shown = { ...showAttempt(attempt), request: requestAsSent(event, attempt) };
  const { outcome, status_code, error, request } = shown;
  await store.change(actor, async ({ db, now, audit }) => {
    await writeTestEvent(db, {
      midoffice_id: midofficeId,
      at: now,
      actor,
      outcome,
      attempt: JSON.stringify(shown),
    });
    await audit('midoffice.test_event', midofficeId, null, {
      outcome,
      status_code,
      error,
      request,
    });
  });
  return shown;
}

/** The latest test event of a midoffice; null if none was ever sent. */
export async function lastTest(
  db: Database,
  midofficeId: string,
): Promise<Static<typeof LastTest> | null> {
  const row = await readTestEvent(db, midofficeId);
  if (!row) return null;
  return {
    at: new Date(row.at).toISOString(),
    actor: row.actor,
    attempt: JSON.parse(row.attempt) as TestAttempt,
  };
}
