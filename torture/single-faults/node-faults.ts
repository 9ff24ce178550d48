import { setTimeout as sleep } from 'node:timers/promises';
import { environments } from '../../kit/bellhop.ts';
import { bringUp, lose } from '../faults.ts';
import type { FaultKind } from '../ledger.ts';
import { PAST_LEASE_MS, type SingleFault, type Stage, WHILE_MS } from './single-fault.ts';

const ABSENCE_MS = 2_000;

export const nodeKilled: SingleFault = {
  about: 'A node is killed, and started again after 2 s.',
  recoversFrom: 'start',
  async strike(stage) {
    const { victim, ledger } = stage;
    lose(victim, 'bellhop killed', stage);
    ledger.inject('bellhop killed', victim.name);
    await victim.kill();
    await sleep(ABSENCE_MS);
    await bringUp(victim, ledger);
  },
};

export const nodeFrozen: SingleFault = {
  about: 'A node is frozen for longer than its lease, then continues.',
  recoversFrom: 'start',
  strike: (stage) =>
    lostFor(stage, 'bellhop frozen for longer than a lease', () =>
      stage.victim.freeze(PAST_LEASE_MS),
    ),
};

export const nodeWithoutPostgres: SingleFault = {
  about:
    'A node is cut off from PostgreSQL only, for longer than its lease; what it sends is lost.',
  recoversFrom: 'start',
  strike: (stage) =>
    lostFor(stage, 'bellhop cut off for longer than a lease', () =>
      stage.victim.cutOff(PAST_LEASE_MS, 'lost'),
    ),
};

/** Nothing arrives, in three ways that look different to the node. */
export const nodeWithoutRedis: SingleFault = {
  about: 'A node is cut off from Redis only: everything hangs, is lost half-open, then comes late.',
  recoversFrom: 'end',
  async strike({ victim, ledger }) {
    const links = environments.flatMap((name) => victim.redis?.to[name] ?? []);
    await ledger.strikeFor('bellhop cut off from Redis', victim.name, async () => {
      for (const link of links) link.freeze();
      await sleep(WHILE_MS);
      for (const link of links) link.swallow();
      for (const link of links) link.thaw();
      await sleep(WHILE_MS);
      for (const link of links) link.restore();
      // Later than a command may take.
      for (const link of links) link.delay(400);
      await sleep(WHILE_MS);
      for (const link of links) link.delay(0);
    });
  },
};

function lostFor(stage: Stage, kind: FaultKind, during: () => Promise<void>): Promise<void> {
  lose(stage.victim, kind, stage);
  return stage.ledger.strikeFor(kind, stage.victim.name, during);
}
