import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const COPY_EVERY_MS = 100;

const logs = (workerData as string[]).map((file) => {
  const connection = new DatabaseSync(file, { timeout: 0 });
  let copiedUpToMs = 0;
  return {
    copy() {
      const changedMs = statSync(`${file}-wal`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (changedMs === copiedUpToMs) return;
      try {
        // Passive: it neither waits for other connections nor blocks them.
        connection.exec('pragma wal_checkpoint(passive)');
        copiedUpToMs = changedMs;
      } catch {
        // The disk is full or failing. The commits report that; this is tried again.
      }
    },
    close: () => connection.close(),
  };
});

const timer = setInterval(() => {
  for (const log of logs) log.copy();
}, COPY_EVERY_MS);

parentPort?.once('message', () => {
  clearInterval(timer);
  for (const log of logs) log.close();
  parentPort?.close();
});
