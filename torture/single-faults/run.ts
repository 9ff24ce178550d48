/** One run with a single fault: peace, the fault, and time in which everything must recover. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_MS } from '../database.ts';
import { untilReady } from './ready.ts';
import type { Stage } from './single-fault.ts';
import { type SingleFaultName, singleFaults } from './single-faults.ts';

export interface Trial {
  fault: SingleFaultName;
  startedAtMs: number;
  /** When the fault was repaired. */
  endedAtMs: number;
  /** When every node said that it is ready, after the repair; undefined if one never did. */
  readyAtMs: number | undefined;
}

export async function runFault(
  fault: SingleFaultName,
  stage: Stage,
  { peaceMs, tell }: { peaceMs: number; tell: (stage: string) => void },
): Promise<Trial> {
  tell('peace');
  await sleep(peaceMs);
  tell(fault);
  const startedAtMs = Date.now();
  await singleFaults[fault].strike(stage);
  const endedAtMs = Date.now();
  tell('recovery');
  const readyAtMs = await untilReady(stage.nodes.all);
  if (readyAtMs === undefined) {
    stage.ledger.violate('every node is ready again after a fault', `not after ${fault}`);
  }
  await sleep(LEASE_MS + peaceMs);
  return { fault, startedAtMs, endedAtMs, readyAtMs };
}
