import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';

const program = inject('chromiumProgram');

// Only Linux has /proc.
describe.skipIf(program === null || process.platform !== 'linux')('a browser', () => {
  test.for(['SIGKILL', 'SIGTERM'] as const)(
    'ends when %s ends the process that started it',
    { timeout: 90_000 },
    async (signal) => {
      // Its profile is in this folder, which identifies its processes by their command lines.
      const folder = await temporaryFolder();
      const starter = fork(join(import.meta.dirname, 'start-a-browser.ts'), [program ?? ''], {
        env: { ...process.env, TMPDIR: folder },
        execArgv: [],
      });
      await once(starter, 'message');
      expect(processesWith(folder).length).toBeGreaterThan(0);
      starter.kill(signal);
      await once(starter, 'exit');
      while (processesWith(folder).length > 0) await sleep(50);
    },
  );
});

function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}
