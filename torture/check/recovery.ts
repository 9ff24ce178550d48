/** How long partners and receivers felt a fault. */
import type { Ledger } from '../ledger.ts';
import { hasFailed } from '../partner-calls.ts';
import type { Trial } from '../single-faults/run.ts';
import { singleFaults } from '../single-faults/single-faults.ts';
import type { Case } from './case.ts';
import { dueTimes } from './due-times.ts';
import { describeCall } from './limits.ts';
import { standstill } from './takeovers.ts';

/** Bellhop notices within a second that its database is back, and a load balancer a second later. */
const NOTICED_MS = 3_000;

export interface Recovery {
  fault: string;
  /** From here on the times count. */
  from: 'start' | 'end';
  lastedMs: number;
  failedCalls: number;
  /** Until the last failed partner call was answered; null if none failed after that moment. */
  callsMs: number | null;
  /** Until every lane with due work had its next attempt. */
  webhooksMs: number;
  /** From the repair until every node said that it was ready. */
  readyMs: number | null;
}

export function checkRecovery(ledger: Ledger, cases: readonly Case[], trial: Trial): Recovery {
  const { fault, startedAtMs, endedAtMs, readyAtMs } = trial;
  const { recoversFrom: from, flawless = false } = singleFaults[
    fault
  ] as (typeof singleFaults)['rolling-restart'];
  const fromMs = from === 'start' ? startedAtMs : endedAtMs;
  const failed = ledger.calls.filter(hasFailed);
  for (const call of failed) {
    const isDuring = call.receivedMs >= startedAtMs && call.sentMs <= endedAtMs + NOTICED_MS;
    if (isDuring && !flawless) continue;
    const rule = flawless ? 'not one partner call fails' : 'partner calls fail only during a fault';
    ledger.violate(rule, describeCall(call));
  }
  const after = failed.filter(({ receivedMs }) => receivedMs > fromMs);
  return {
    fault,
    from,
    lastedMs: endedAtMs - startedAtMs,
    failedCalls: failed.length,
    callsMs:
      after.length === 0 ? null : Math.max(...after.map(({ receivedMs }) => receivedMs)) - fromMs,
    webhooksMs: webhooksResumed(cases, fromMs),
    readyMs: readyAtMs === undefined ? null : readyAtMs - endedAtMs,
  };
}

function webhooksResumed(cases: readonly Case[], fromMs: number): number {
  const lanes = Map.groupBy(cases, ({ event }) => event.office);
  const dues = Map.groupBy(dueTimes(cases), ({ one }) => one.event.office);
  const times = [...lanes].flatMap(([office, lane]) => {
    const still = standstill(lane, dues.get(office) ?? [], fromMs);
    return still ? [Math.max(0, still.nextAtMs - still.dueAtMs)] : [];
  });
  return Math.max(0, ...times);
}
