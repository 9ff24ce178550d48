/**
 * Loaded into each thread of Bellhop (`--import`). Writes the longest turns of its event loop, in processor time of the
 * thread itself: on a busy machine, the delay of a timer also has what other processes took. Beside each, it writes for
 * how long the garbage collector stopped the thread in that turn, and how much the host of a virtual machine took away
 * about then. That counts as processor time of the thread, even while it waits: profiles of turns of 25 ms had nothing but
 * waiting in them. So a turn is never longer than the loop was at work, and the report leaves out those times. A file `clock` in the same folder sets the clock of the
 * process by as many milliseconds.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { threadId } from 'node:worker_threads';

const EVERY_MS = 2;
const WRITTEN_EVERY_MS = 50;

interface Turn {
  fromMs: number;
  untilMs: number;
  cpuMs: number;
}

const realNow = Date.now;

const folder = process.env.BENCH_PROBE_FOLDER;
// The first thread that the main one starts runs the services.
if (folder !== undefined && threadId === 1) {
  probe(join(folder, 'turns'));
  followClock(join(folder, 'clock'));
}

function probe(file: string): void {
  const none: Turn = { fromMs: 0, untilMs: 0, cpuMs: 0 };
  let longest = none;
  // Written one period later, because its collections are told after the turn.
  let before = none;
  let collections: { startTime: number; duration: number }[] = [];
  new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({
    entryTypes: ['gc'],
  });
  let stolenBefore = 0;
  let stolen = stolenTicks();
  let writtenMs = performance.now();
  let fromMs = writtenMs;
  let used = process.threadCpuUsage();
  let worked = performance.eventLoopUtilization();
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(used);
    const { active } = performance.eventLoopUtilization(worked);
    used = process.threadCpuUsage();
    worked = performance.eventLoopUtilization();
    const untilMs = performance.now();
    const cpuMs = Math.min((user + system) / 1_000, active);
    if (cpuMs > longest.cpuMs) longest = { fromMs, untilMs, cpuMs };
    fromMs = untilMs;
    if (untilMs < writtenMs + WRITTEN_EVERY_MS) return;
    const within = collections.filter(
      ({ startTime }) => startTime >= before.fromMs && startTime < before.untilMs,
    );
    const gcMs = within.reduce((sum, { duration }) => sum + duration, 0);
    const ticks = stolenTicks();
    // What was taken is accounted for a moment later.
    appendFileSync(file, `${realNow()} ${before.cpuMs} ${gcMs} ${stolenBefore + ticks - stolen}\n`);
    stolenBefore = ticks - stolen;
    stolen = ticks;
    collections = collections.filter(({ startTime }) => startTime >= longest.fromMs);
    before = longest;
    longest = none;
    writtenMs = untilMs;
  }, EVERY_MS).unref();
}

/** The eighth figure of the first line of /proc/stat (Linux): of all processors, in hundredths of a second. */
function stolenTicks(): number {
  try {
    return Number(readFileSync('/proc/stat', 'utf8').split(/\s+/, 9)[8]);
  } catch {
    return 0;
  }
}

function followClock(file: string): void {
  setInterval(() => {
    try {
      const offsetMs = Number(readFileSync(file, 'utf8'));
      Date.now = () => realNow() + offsetMs;
    } catch {
      // Nobody has set it.
    }
  }, WRITTEN_EVERY_MS).unref();
}
