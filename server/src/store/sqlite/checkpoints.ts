/**
 * Copies the write-ahead logs into their database files, in a thread of its own. SQLite would do it during
 * a commit, every thousand pages, and block everything for 10 to 40 ms each time. The thread starts once a
 * log is large enough to be worth it.
 */
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const LOOK_MS = 250;
const WORTH_COPYING_BYTES = 1_048_576;

export interface Checkpoints {
  stop(): Promise<void>;
}

export function startCheckpoints(databaseFiles: readonly string[]): Checkpoints {
  let thread: Worker | undefined;
  let ended: Promise<void> | undefined;
  const look = setInterval(() => {
    if (!databaseFiles.some((file) => walBytes(file) > WORTH_COPYING_BYTES)) return;
    clearInterval(look);
    thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: databaseFiles,
      execArgv: [],
    });
    thread.unref();
    // Without the thread, commits copy the logs again, at CHECKPOINT_PAGES.
    thread.on('error', () => {});
    ended = new Promise((resolve) => thread?.once('exit', () => resolve()));
  }, LOOK_MS);
  look.unref();
  return {
    async stop() {
      clearInterval(look);
      // The process must not end before the thread has.
      thread?.ref();
      thread?.postMessage('stop');
      await ended;
    },
  };
}

function walBytes(databaseFile: string): number {
  return statSync(`${databaseFile}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
