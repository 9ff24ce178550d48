/** The records of each attempt and of the delivery match what the receiver saw and did. */
import type { Ledger } from '../ledger.ts';
import { replies, type Treatment } from '../replies.ts';
import { RECEIVER_TIMEOUT_MS } from '../world.ts';
import { type Case, describeCase, isRestoredLate } from './case.ts';
import type { Attempt } from './deliveries.ts';
import type { Figures } from './figures.ts';

/** A time-out may be noticed this early, by rounding, or this late. */
const EARLY_MS = 5;
/** A node whose clock is wrong knows the right time by the database, less exactly. */
const STEPPED_CLOCK_MS = 5;

export function checkOutcome(ledger: Ledger, one: Case, figures: Figures): void {
  const { delivery, receptionOf } = one;
  const isStepped = ledger.faults.some(({ kind }) => kind === "bellhop's clock stepped");
  const inexactMs = isStepped ? STEPPED_CLOCK_MS : 0;
  for (const attempt of delivery.attempts) {
    figures.attempts++;
    const reception = receptionOf(attempt);
    if (!reception) {
      if (attempt.outcome === 'delivered') {
        ledger.violate('nothing is delivered that no receiver saw', describeCase(one));
      }
      figures.unseen++;
      continue;
    }
    if (reception.timestamp !== attempt.timestamp || !isOfItsTime(attempt)) {
      ledger.violate('the timestamp is that of the attempt', describeCase(one));
    }
    if (reception.arrivedAtMs < attempt.startedAtMs - inexactMs) {
      ledger.violate('an attempt is received after it begins', describeCase(one));
    }
    const treatment: Treatment = replies[reception.reply];
    if (fits(attempt, treatment)) continue;
    const tooLate = attempt.outcome === 'failed' && ranOut(attempt);
    if (tooLate && !treatment.timesOut) figures.tooLate++;
    else ledger.violate('an attempt is recorded as the receiver saw it', describeCase(one));
  }
  checkState(ledger, one);
}

/** It is signed right after it begins, possibly in the next second. */
function isOfItsTime({ timestamp, startedAtMs }: Attempt): boolean {
  const second = Math.floor(startedAtMs / 1_000);
  return timestamp === second || timestamp === second + 1;
}

function fits(attempt: Attempt, treatment: Treatment): boolean {
  const { outcome, statusCode, timesOut, unfinished } = treatment;
  const isUnread = unfinished === true && attempt.statusCode === null;
  if (attempt.outcome !== outcome) return false;
  if (attempt.statusCode !== statusCode && !isUnread) return false;
  return timesOut === true ? ranOut(attempt) : true;
}

export function ranOut({ durationMs }: Attempt): boolean {
  return durationMs >= RECEIVER_TIMEOUT_MS - EARLY_MS;
}

function checkState(ledger: Ledger, one: Case): void {
  const { delivery } = one;
  const { attempts } = delivery;
  const wrong = (rule: string) => ledger.violate(rule, describeCase(one));
  if (
    attempts.some(({ number }, i) => number !== i + 1) ||
    delivery.attemptsMade !== attempts.length
  )
    wrong('attempts are numbered without a gap');
  const delivered = attempts.findIndex(({ outcome }) => outcome === 'delivered');
  const isLast = delivered === attempts.length - 1 || isRestoredLate(ledger, one);
  if (delivered !== -1 && !isLast) wrong('a delivery that succeeded is not attempted again');
  if ((delivered !== -1) !== (delivery.state === 'delivered'))
    wrong('it is delivered if its last attempt was answered 2xx');
  const states = one.event.office ? ['pending', 'delivered', 'exhausted'] : ['unrouted'];
  if (!states.includes(delivery.state))
    wrong('every 202 is delivered, pending or exhausted, or unrouted without a midoffice');
  const isOpen = delivery.state === 'pending' || delivery.state === 'unrouted';
  if ((delivery.settledAtMs === null) !== isOpen) wrong('what is settled has its time');
}
