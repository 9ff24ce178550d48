/** Compares the ledger with Bellhop's records. It runs when nothing changes any more. */
import { environments } from '../../kit/bellhop.ts';
import type { BackOffice } from '../back-office.ts';
import type { Ledger } from '../ledger.ts';
import type { BellhopNode } from '../nodes.ts';
import type { Trial } from '../single-faults/run.ts';
import { checkBooks } from './books.ts';
import { casesOf, isRestoredLate } from './case.ts';
import { readDeliveries } from './deliveries.ts';
import { type Figures, newFigures } from './figures.ts';
import { checkInFlight } from './in-flight.ts';
import { checkLimits } from './limits.ts';
import { checkOrder } from './order.ts';
import { checkOutcome } from './outcome.ts';
import { checkOwners } from './owners.ts';
import { checkPending, type End } from './pending.ts';
import { recorders } from './recorders.ts';
import { checkRecovery } from './recovery.ts';
import { checkSchedule } from './schedule.ts';
import { checkStandstill } from './standstill.ts';
import { checkTakeovers } from './takeovers.ts';

export async function check(
  backOffice: BackOffice,
  ledger: Ledger,
  nodes: readonly BellhopNode[],
  end: End,
  trial?: Trial,
): Promise<Figures> {
  const figures = newFigures();
  const deliveries = [];
  for (const environment of environments) {
    deliveries.push(...(await readDeliveries(backOffice, environment)));
  }
  checkBooks(ledger, deliveries);
  const cases = casesOf(ledger, deliveries);
  for (const one of cases) {
    const { state } = one.delivery;
    figures.states[state] = (figures.states[state] ?? 0) + 1;
    checkOutcome(ledger, one, figures);
    if (isRestoredLate(ledger, one)) figures.restoredLate++;
    else checkSchedule(ledger, one, figures);
  }
  checkOrder(ledger, cases);
  checkPending(ledger, cases, end);
  checkInFlight(ledger);
  checkOwners(ledger, cases, recorders(nodes, ledger));
  checkTakeovers(ledger, cases, figures, nodes);
  checkStandstill(ledger, cases, nodes);
  figures.spellsAlone = checkLimits(ledger, nodes).length;
  if (trial) figures.recovery = checkRecovery(ledger, cases, trial);
  return figures;
}
