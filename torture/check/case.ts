/** One delivery with everything that both sides know about it. */
import type { Ledger, Reception, SentEvent } from '../ledger.ts';
import { RECEIVER_TIMEOUT_MS } from '../world.ts';
import type { Attempt, Delivery } from './deliveries.ts';

export interface Case {
  event: SentEvent;
  delivery: Delivery;
  /** In the order of arrival. */
  receptions: Reception[];
  /** The attempt that records each reception; undefined if none does. */
  attemptOf(reception: Reception): Attempt | undefined;
  receptionOf(attempt: Attempt): Reception | undefined;
}

export function casesOf(ledger: Ledger, deliveries: readonly Delivery[]): Case[] {
  const received = new Map<SentEvent, Reception[]>();
  for (const reception of ledger.receptions) {
    const event = ledger.find(reception.office.environment, reception.eventId);
    if (!event) continue;
    const known = received.get(event);
    if (known) known.push(reception);
    else received.set(event, [reception]);
  }
  return deliveries.flatMap((delivery) => {
    const event = ledger.find(delivery.environment, delivery.eventId);
    return event ? [caseOf(event, delivery, received.get(event) ?? [])] : [];
  });
}

function caseOf(event: SentEvent, delivery: Delivery, receptions: Reception[]): Case {
  receptions.sort((a, b) => a.arrivedAtMs - b.arrivedAtMs);
  const attempts = new Map(delivery.attempts.map((attempt) => [attempt.token, attempt]));
  const byToken = new Map(receptions.map((reception) => [reception.token, reception]));
  return {
    event,
    delivery,
    receptions,
    attemptOf: ({ token }) => attempts.get(token),
    receptionOf: ({ token }) => byToken.get(token),
  };
}

/** How long before a failover an outcome may have been recorded that the replica lacks. */
const NOT_REPLICATED_MS = 1_000;

/**
 * A node was frozen or cut off during a failover that has lost its outcomes: others attempted the delivery without
 * knowing of them, and the node has added them when it came back. Nobody can keep to a schedule that he does not know.
 */
export function isRestoredLate(ledger: Ledger, { delivery }: Pick<Case, 'delivery'>): boolean {
  return ledger.failoversWithAbsentNodes.some(({ atMs, untilMs }) =>
    delivery.attempts.some(({ startedAtMs, durationMs }) => {
      const endedAtMs = startedAtMs + durationMs;
      return endedAtMs > atMs - NOT_REPLICATED_MS && startedAtMs < untilMs;
    }),
  );
}

/**
 * A node accepted it and was away when it was lost, or it was reported again before it was stored again: later events of
 * the order may have been sent without it.
 */
export function isStoredLate(ledger: Ledger, { event }: Pick<Case, 'event'>): boolean {
  if (event.wasLost) return true;
  const { acceptedAtMs = 0 } = event;
  return ledger.failoversWithAbsentNodes.some(
    ({ atMs, untilMs }) => acceptedAtMs > atMs - NOT_REPLICATED_MS && acceptedAtMs < untilMs,
  );
}

/** All details, for the person who investigates. */
export function describeCase({ event, delivery, receptions, attemptOf }: Case): string {
  const lines = [
    `${delivery.environment} ${delivery.id} of ${delivery.eventId}, order ${event.orderId}, position ${event.position}: ${delivery.state}${delivery.inFlight ? ', in flight' : ''}, next attempt ${time(delivery.nextAttemptAtMs)}, settled ${time(delivery.settledAtMs)}`,
    ...delivery.attempts.map(
      (a) =>
        `  attempt ${a.number} at ${time(a.startedAtMs)}, ${a.durationMs} ms: ${a.outcome} ${a.statusCode ?? ''} ${a.error ?? ''} (${a.token.slice(0, 6)})`,
    ),
    ...receptions.map((r) => {
      const number = attemptOf(r)?.number;
      const recorded = number === undefined ? 'not recorded' : `attempt ${number}`;
      return `  received at ${time(r.arrivedAtMs)}: ${r.reply}, ended ${time(r.endedAtMs)}, closed ${time(r.closedAtMs)}, ${recorded} (${r.token.slice(0, 6)})`;
    }),
  ];
  return lines.join('\n');
}

function time(ms: number | null | undefined): string {
  return typeof ms === 'number' ? new Date(ms).toISOString().slice(11, 23) : 'never';
}

/** How late this process may notice something, on a busy machine. */
const SEEN_LATE_MS = 400;

/**
 * The earliest time at which Bellhop can have seen the end of the exchange: not before the receiver sent
 * it. After a time-out, the receiver noticed the end a little later.
 */
export function earliestEndMs({ arrivedAtMs, endedAtMs, closedAtMs }: Reception): number {
  if (endedAtMs !== undefined && (closedAtMs === undefined || closedAtMs >= endedAtMs)) {
    return endedAtMs;
  }
  const latestMs = Math.min(closedAtMs ?? arrivedAtMs, arrivedAtMs + RECEIVER_TIMEOUT_MS);
  return Math.max(arrivedAtMs, latestMs - SEEN_LATE_MS);
}
