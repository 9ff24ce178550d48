/**
 * What one thread of the process uses: its heap, its event loop and its garbage collection. A thread that
 * is busy or blocked delays everything that it serves, and the process's CPU time does not show which one.
 */
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceNodeEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import type { Metrics } from './registry.ts';

/** `partner-api` is the main thread of a process with that role; `services` has the other roles. */
export type ThreadName = 'partner-api' | 'services';

/** How often the lag is measured. Each measurement wakes the thread. */
const LAG_RESOLUTION_MS = 20;
const NANOSECONDS = 1_000_000_000;
/** As in the Prometheus clients. */
const GC_BUCKETS = [0.001, 0.01, 0.1, 1, 2, 5];

const GC_KINDS = {
  minor: constants.NODE_PERFORMANCE_GC_MINOR,
  major: constants.NODE_PERFORMANCE_GC_MAJOR,
  incremental: constants.NODE_PERFORMANCE_GC_INCREMENTAL,
  weakcb: constants.NODE_PERFORMANCE_GC_WEAKCB,
};

/** Returns what stops it. Call it in the thread that is measured. */
export function measureThread(metrics: Metrics, thread: ThreadName): () => void {
  measureHeap(metrics, thread);
  measureEventLoopTime(metrics, thread);
  const stopLag = measureLag(metrics, thread);
  const stopCollections = measureCollections(metrics, thread);
  return () => {
    stopLag();
    stopCollections();
  };
}

function measureHeap(metrics: Metrics, thread: ThreadName): void {
  metrics.gauge(
    'nodejs_heap_size_total_bytes',
    "Size of the thread's heap.",
    { thread },
    () => process.memoryUsage().heapTotal,
  );
  metrics.gauge(
    'nodejs_heap_size_used_bytes',
    "Used part of the thread's heap.",
    { thread },
    () => process.memoryUsage().heapUsed,
  );
  metrics.gauge(
    'nodejs_external_memory_bytes',
    "Memory outside the heap that the thread's objects hold, buffers included.",
    { thread },
    () => process.memoryUsage().external,
  );
}

/** The share of `active` is the utilization: at 1, the thread cannot do more. Costs nothing. */
function measureEventLoopTime(metrics: Metrics, thread: ThreadName): void {
  for (const state of ['active', 'idle'] as const) {
    metrics.readCounter(
      'nodejs_eventloop_time_seconds_total',
      "Time that the thread's event loop was active or idle.",
      { thread, state },
      () => performance.eventLoopUtilization()[state] / 1_000,
    );
  }
}

/** Each scrape begins a new measurement, as in the Prometheus clients. */
function measureLag(metrics: Metrics, thread: ThreadName): () => void {
  const delay = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delay.enable();
  // The timer's own interval is part of what Node measures, but not of the lag.
  const lag = (nanoseconds: number) =>
    Math.max(0, nanoseconds / NANOSECONDS - LAG_RESOLUTION_MS / 1_000);
  const since = 'since the last scrape';
  metrics.gauge(
    'nodejs_eventloop_lag_p50_seconds',
    `Median lag of the thread's event loop ${since}.`,
    { thread },
    () => lag(delay.percentile(50)),
  );
  metrics.gauge(
    'nodejs_eventloop_lag_p99_seconds',
    `99th percentile of the lag of the thread's event loop ${since}.`,
    { thread },
    () => lag(delay.percentile(99)),
  );
  // The last one that is read.
  metrics.gauge(
    'nodejs_eventloop_lag_max_seconds',
    `Longest lag of the thread's event loop ${since}.`,
    { thread },
    () => {
      const longest = lag(delay.max);
      delay.reset();
      return longest;
    },
  );
  return () => delay.disable();
}

function measureCollections(metrics: Metrics, thread: ThreadName): () => void {
  const byKind = new Map(
    Object.entries(GC_KINDS).map(([kind, number]) => [
      number,
      metrics.histogram(
        'nodejs_gc_duration_seconds',
        'Pauses of the thread for garbage collection, by kind.',
        { thread, kind },
        GC_BUCKETS,
      ),
    ]),
  );
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as PerformanceNodeEntry;
      byKind.get(detail.kind)?.observe(duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
