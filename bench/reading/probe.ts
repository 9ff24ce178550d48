/**
 * Loaded into each thread of Bellhop (`--import`). Writes the longest turns of its event loop, in processor time of the
 * thread itself: on a busy machine, the delay of a timer also has what other processes took.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const EVERY_MS = 2;
const WRITTEN_EVERY_MS = 50;

const folder = process.env.BENCH_PROBE_FOLDER;
// The first thread that the main one starts runs the services.
if (folder !== undefined && threadId === 1) probe(join(folder, 'turns'));

function probe(file: string): void {
  let longestMs = 0;
  let writtenMs = performance.now();
  let used = process.threadCpuUsage();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(used);
    used = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    if (performance.now() < writtenMs + WRITTEN_EVERY_MS) return;
    appendFileSync(file, `${Date.now()} ${longestMs}\n`);
    writtenMs = performance.now();
    longestMs = 0;
  }, EVERY_MS).unref();
}
