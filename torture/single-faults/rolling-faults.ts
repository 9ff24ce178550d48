import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../kit/bellhop.ts';
import { bringUp, lose } from '../faults.ts';
import { untilReady } from './ready.ts';
import type { SingleFault, Stage } from './single-fault.ts';

/** Longer than the load balancer takes to find out that a node is back, on a busy machine. */
const NOTICED_MS = 4_000;
const UPGRADED: Settings = {
  NODE_OPTIONS: `--import=${new URL('./next-release.ts', import.meta.url).href}`,
};

export const rollingRestart: SingleFault = {
  about: 'Each node in turn is told to stop and is started again. Not one partner call may fail.',
  recoversFrom: 'start',
  flawless: true,
  strike: (stage) => replaceAll(stage, {}),
};

export const rollingUpgrade: SingleFault = {
  about:
    'Each node in turn is replaced by a release with one more migration. Not one partner call may fail.',
  recoversFrom: 'start',
  flawless: true,
  settingsAfter: UPGRADED,
  strike: (stage) => replaceAll(stage, UPGRADED),
};

async function replaceAll(stage: Stage, settings: Settings): Promise<void> {
  const { nodes, ledger } = stage;
  for (const node of nodes.all) {
    lose(node, 'bellhop stopped', stage);
    ledger.inject('bellhop stopped', node.name);
    await node.stop();
    node.change(settings);
    await bringUp(node, ledger);
    await untilReady([node]);
    await sleep(NOTICED_MS);
  }
}
