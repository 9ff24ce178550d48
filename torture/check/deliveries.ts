/** Every delivery with its attempts, as the support API shows them. */

import type {
  Delivery as Shown,
  AttemptWithRequest as ShownAttempt,
} from '@bellhop/support-client';
import type { EnvironmentName } from '../../kit/bellhop.ts';
import type { BackOffice } from '../back-office.ts';

export interface Attempt {
  number: number;
  startedAtMs: number;
  durationMs: number;
  outcome: 'delivered' | 'failed';
  statusCode: number | null;
  error: string | null;
  failureCode: string | null;
  timestamp: number;
  token: string;
}

export interface Delivery {
  environment: EnvironmentName;
  id: string;
  eventId: string;
  state: string;
  inFlight: boolean;
  attemptsMade: number;
  nextAttemptAtMs: number | null;
  settledAtMs: number | null;
  /** The reported fields, to compare with those of the event. */
  content: Record<string, unknown>;
  attempts: Attempt[];
}

const PAGE = 200;
const AT_ONCE = 16;

export async function readDeliveries(
  backOffice: BackOffice,
  environment: EnvironmentName,
): Promise<Delivery[]> {
  const shown: Shown[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, cursor };
    const page = await backOffice.support('listDeliveries', { environment, query });
    shown.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  const deliveries: Delivery[] = [];
  const waiting = [...shown];
  const readers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { attempts } = await backOffice.support('getDelivery', { environment, id: next.id });
      deliveries.push(toDelivery(environment, next, attempts));
    }
  });
  await Promise.all(readers);
  return deliveries;
}

/** Resolves to whether any delivery is not settled yet. */
export async function anyPending(
  backOffice: BackOffice,
  environment: EnvironmentName,
): Promise<boolean> {
  const query = { state: 'pending', limit: 1 } as const;
  const { items } = await backOffice.support('listDeliveries', { environment, query });
  return items.length > 0;
}

function toDelivery(
  environment: EnvironmentName,
  shown: Shown,
  attempts: readonly ShownAttempt[],
): Delivery {
  return {
    environment,
    id: shown.id,
    eventId: shown.event_id,
    state: shown.state,
    inFlight: shown.in_flight,
    attemptsMade: shown.attempts_made,
    nextAttemptAtMs: shown.next_attempt_at === null ? null : Date.parse(shown.next_attempt_at),
    settledAtMs: shown.settled_at === null ? null : Date.parse(shown.settled_at),
    content: {
      type: shown.type,
      partner_id: shown.partner_id,
      partner_order_id: shown.partner_order_id,
      agreement_number: shown.agreement_number,
      status: shown.status,
      midoffice_id: shown.midoffice_id,
    },
    attempts: attempts.map((attempt) => ({
      number: attempt.number,
      startedAtMs: Date.parse(attempt.started_at),
      durationMs: attempt.duration_ms,
      outcome: attempt.outcome,
      statusCode: attempt.status_code,
      error: attempt.error,
      failureCode: attempt.failure_code,
      timestamp: attempt.signature_timestamp,
      token: attempt.signature_token,
    })),
  };
}
