import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PAST_LEASE_MS, type SingleFault } from './single-fault.ts';

const HOUR_MS = 3_600_000;
const PRELOAD = new URL('./shifted-clock.ts', import.meta.url);

export const clockAhead = stepped('A node’s clock is an hour ahead for 9 s.', HOUR_MS);
export const clockBehind = stepped('A node’s clock is an hour behind for 9 s.', -HOUR_MS);

function stepped(about: string, byMs: number): SingleFault {
  return {
    about,
    recoversFrom: 'end',
    // Each process looks at a file of its own.
    nodeSettings: (folder) => ({
      NODE_OPTIONS: `--import=${PRELOAD.href}`,
      TORTURE_CLOCK_FOLDER: folder,
    }),
    async strike({ victim, folder, ledger }) {
      await ledger.strikeFor("bellhop's clock stepped", victim.name, async () => {
        writeFileSync(join(folder, `clock-${victim.pid}`), String(byMs));
        await sleep(PAST_LEASE_MS);
        writeFileSync(join(folder, `clock-${victim.pid}`), '0');
      });
    },
  };
}
