/**
 * The waits match the schedule, counted from the end of the previous attempt, both in Bellhop's records and
 * by the receiver's clock. Only a crash or a lost lease may repeat an attempt.
 */
import { LEASE_MS } from '../database.ts';
import type { Fault, FaultKind, Ledger, Reception } from '../ledger.ts';
import { RECEIVER_TIMEOUT_MS, SCHEDULES_MS } from '../world.ts';
import { type Case, describeCase, earliestEndMs } from './case.ts';
import type { Attempt, Delivery } from './deliveries.ts';
import type { Figures } from './figures.ts';
import { ranOut } from './outcome.ts';

/** Starts are whole milliseconds and durations are rounded. */
const ROUNDING_MS = 2;

/** A webhook may be read this long after its sender was killed. */
const READ_LATE_MS = 500;
/**
 * From a webhook's arrival to the last moment at which its outcome may still be unrecorded: the attempt
 * takes some time, and is then recorded as soon as the database accepts it, or never.
 */
const UNSETTLED_MS = RECEIVER_TIMEOUT_MS + LEASE_MS + 3_000;
/** A node that is back this long before its lease ends has time to renew it. */
const RENEWAL_MS = 3_000;

/** Attempts in flight are broken off, and nobody records them. */
const BREAKS: ReadonlySet<FaultKind> = new Set([
  'bellhop killed',
  'bellhop killed while starting',
  'database failed over with lag',
]);

export function checkSchedule(ledger: Ledger, one: Case, figures: Figures): void {
  const { delivery } = one;
  const { attempts, state } = delivery;
  const waits = SCHEDULES_MS[delivery.environment];
  const wrong = (rule: string) => ledger.violate(rule, describeCase(one));
  const steps = attempts.filter((attempt) => !isRepeated(attempt)).length;
  if (steps > waits.length + 1) wrong('no more attempts than the schedule has');
  if (state === 'exhausted' && steps < waits.length + 1)
    wrong('it is exhausted only after the last retry');
  if (state === 'pending' && steps > waits.length) wrong('it is exhausted after the last retry');

  for (const [i, attempt] of attempts.entries()) {
    const before = attempts[i - 1];
    if (!before) continue;
    const dueAtMs = endOf(before) + waitAfter(before, one.delivery);
    const lateMs = attempt.startedAtMs - dueAtMs;
    figures.latenessMs.push(Math.max(0, lateMs));
    if (lateMs < -ROUNDING_MS) wrong('no retry begins before it is due, by the record');
  }
  const last = attempts.at(-1);
  if (state === 'pending' && last && delivery.nextAttemptAtMs !== null) {
    const dueAtMs = endOf(last) + waitAfter(last, one.delivery);
    if (delivery.nextAttemptAtMs < dueAtMs - ROUNDING_MS)
      wrong('the next attempt is not due before its wait is over');
  }
  for (const reception of one.receptions) checkArrival(ledger, one, reception);
  checkRepeats(ledger, one, figures);
}

/** By the receiver's clock, repeats included. */
function checkArrival(ledger: Ledger, one: Case, reception: Reception): void {
  const { attempts } = one.delivery;
  const own = one.attemptOf(reception);
  const before = own
    ? attempts[own.number - 2]
    : attempts.findLast(({ startedAtMs }) => startedAtMs < reception.arrivedAtMs);
  if (!before) return;
  const waitMs = waitAfter(before, one.delivery);
  // An answer that came after the time-out did not end the attempt.
  const seen = ranOut(before) ? undefined : one.receptionOf(before);
  const endMs = Math.max(endOf(before) - ROUNDING_MS, seen ? earliestEndMs(seen) : 0);
  if (reception.arrivedAtMs < endMs + waitMs) {
    const earlyMs = endMs + waitMs - reception.arrivedAtMs;
    ledger.violate(
      'no retry arrives before it is due, by the clock of the receiver',
      `${earlyMs} ms early: ${describeCase(one)}`,
    );
  }
}

/**
 * Each unrecorded reception must be explained by a fault of its own: its node was killed, or the node or
 * the database was away for so long that the lease ended.
 */
function checkRepeats(ledger: Ledger, one: Case, figures: Figures): void {
  const faults = ledger.faults.filter(breaksOff).sort((a, b) => a.untilMs - b.untilMs);
  for (const reception of one.receptions) {
    if (one.attemptOf(reception)) continue;
    figures.repeats++;
    const fromMs = reception.arrivedAtMs - READ_LATE_MS;
    const toMs = reception.arrivedAtMs + UNSETTLED_MS;
    const i = faults.findIndex(({ atMs, untilMs }) => atMs <= toMs && untilMs >= fromMs);
    if (i === -1) {
      ledger.violate('every attempt is recorded, unless its node crashed', describeCase(one));
      return;
    }
    faults.splice(i, 1);
  }
}

function breaksOff({ kind, atMs, untilMs }: Fault): boolean {
  return BREAKS.has(kind) || untilMs - atMs > LEASE_MS - RENEWAL_MS;
}

/** It met the end of a used connection: it uses no step of the schedule, and the next one follows at once. */
function isRepeated({ failureCode }: Attempt): boolean {
  return failureCode === 'connection_reused';
}

export function waitAfter(attempt: Attempt, { attempts, environment }: Delivery): number {
  if (isRepeated(attempt)) return 0;
  const before = attempts.filter((one) => one.number < attempt.number && !isRepeated(one));
  return SCHEDULES_MS[environment][before.length] ?? 0;
}

export function endOf({ startedAtMs, durationMs }: Attempt): number {
  return startedAtMs + durationMs;
}
