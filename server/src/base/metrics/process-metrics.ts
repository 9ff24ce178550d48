/**
 * What the whole process uses. The names are those of the Prometheus clients, so that common dashboards
 * know them. Everything is read when the metrics are requested.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Metrics } from './registry.ts';

const MICROSECONDS = 1_000_000;
/** The size of a page in /proc/self/statm; the same on every platform that we run on. */
const PAGE_BYTES = 4_096;

export function measureProcess(metrics: Metrics, version: string): void {
  const startedSeconds = Math.round(Date.now() / 1_000 - process.uptime());
  metrics.gauge(
    'bellhop_build_info',
    'Always 1; the labels say which Bellhop runs on which Node.',
    { version, node: process.versions.node },
    () => 1,
  );
  metrics.gauge(
    'process_start_time_seconds',
    'When the process started, in seconds since 1970.',
    {},
    () => startedSeconds,
  );
  metrics.readCounter(
    'process_cpu_user_seconds_total',
    'CPU time that the process has spent in its own code.',
    {},
    () => process.cpuUsage().user / MICROSECONDS,
  );
  metrics.readCounter(
    'process_cpu_system_seconds_total',
    'CPU time that the process has spent in the kernel.',
    {},
    () => process.cpuUsage().system / MICROSECONDS,
  );
  metrics.readCounter(
    'process_cpu_seconds_total',
    'CPU time that the process has spent, user and system.',
    {},
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROSECONDS;
    },
  );
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process that is in RAM.', {}, () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge(
    'process_virtual_memory_bytes',
    'Address space of the process; NaN where /proc does not exist.',
    {},
    () => orNaN(() => Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[0]) * PAGE_BYTES),
  );
  metrics.gauge(
    'process_open_fds',
    'Open file descriptors, connections included; NaN where /proc does not exist.',
    {},
    () => orNaN(() => readdirSync('/proc/self/fd').length),
  );
  metrics.gauge(
    'process_max_fds',
    'How many file descriptors the process may have open; NaN where /proc does not exist.',
    {},
    () => orNaN(maxDescriptors),
  );
}

function maxDescriptors(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

function orNaN(read: () => number): number {
  try {
    return read();
  } catch {
    return Number.NaN;
  }
}
