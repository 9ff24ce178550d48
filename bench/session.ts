/** Sessions of a command: whatever they start or create is undone at the end, and on Ctrl-C. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from './bench.ts';
import { showProgress } from './report.ts';

export const RESULTS = join(import.meta.dirname, 'results');

export async function openSessions(): Promise<{
  sessionOf(name: string): Session;
  undoAll(): Promise<void>;
}> {
  const undoing: (() => unknown)[] = [];
  async function undoAll(): Promise<void> {
    // On Ctrl-C, the command may start one more process while the others are being ended.
    for (let step = undoing.pop(); step; step = undoing.pop()) await step();
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      await undoAll();
      process.exit(130);
    });
  }
  await mkdir(RESULTS, { recursive: true });
  return {
    sessionOf: (name) => ({
      progress: (text) => showProgress(`${name}: ${text}`),
      undo: (step) => undoing.push(step),
      async folder() {
        const folder = await mkdtemp(join(RESULTS, 'data-'));
        undoing.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
        return folder;
      },
    }),
    undoAll,
  };
}
