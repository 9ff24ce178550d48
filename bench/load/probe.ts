/**
 * Loaded into each thread of a Bellhop under load (`--import`). Writes what only the thread itself knows to
 * a file every second: the heap after the last full collection, its handles, and the delay of its event loop.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { threadId } from 'node:worker_threads';

export interface ThreadReport {
  heapMb: number;
  /** Null before the first full collection. */
  heapAfterCollectionMb: number | null;
  handles: number;
  /** Of the last ten seconds. */
  loopDelayP99Ms: number;
}

const EVERY_MS = 1_000;
const KEPT = 10;

const folder = process.env.BENCH_PROBE_FOLDER;
if (folder !== undefined) probe(folder);

function probe(into: string): void {
  let heapAfterCollectionMb: number | null = null;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as typeof entry & { detail: { kind: number } };
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) heapAfterCollectionMb = usedMb();
    }
  }).observe({ entryTypes: ['gc'] });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const p99s: number[] = [];
  setInterval(() => {
    p99s.push(delay.percentile(99) / 1e6);
    delay.reset();
    if (p99s.length > KEPT) p99s.shift();
    const report: ThreadReport = {
      heapMb: usedMb(),
      heapAfterCollectionMb,
      handles: process.getActiveResourcesInfo().length,
      loopDelayP99Ms: Math.max(...p99s),
    };
    writeFileSync(join(into, `thread-${threadId}.json`), JSON.stringify(report));
  }, EVERY_MS).unref();
}

function usedMb(): number {
  return getHeapStatistics().used_heap_size / 1_048_576;
}
