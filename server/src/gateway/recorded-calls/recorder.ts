/**
 * Writes refused and failed calls to the database a second after they ended. A crash loses what was not written yet:
 * usually the calls of the last second.
 */
import { type BatchedWrites, startBatchedWrites } from '../../base/batched-writes.ts';
import type { Clock } from '../../base/clock.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { CallStore, RecordedCall } from './recorded-call.ts';
import { CallSamples, type SamplesOptions } from './samples.ts';

export const WRITE_EVERY_MS = 1_000;
export const LINES_AT_ONCE = 100;

export type CallBatch = readonly RecordedCall[];

export interface CallRecorder extends BatchedWrites<CallBatch> {
  readonly samples: CallSamples;
}

export function startCallRecorder(parts: {
  environment: EnvironmentName;
  store: CallStore;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  bounds?: Pick<SamplesOptions, 'mostLines' | 'mostCallers'>;
  everyMs?: number | undefined;
}): CallRecorder {
  const { environment, store, clock, log, metrics } = parts;
  const recorded = metrics.counter(
    'bellhop_calls_recorded_total',
    'Refused and failed calls that were written to the database, each as a line of its own.',
    { environment },
  );
  const sampled = metrics.counter(
    'bellhop_calls_sampled_total',
    'Refused and failed calls that are only counted on the line of another call like them.',
    { environment },
  );
  const dropped = metrics.counter(
    'bellhop_calls_dropped_total',
    'Refused and failed calls that were not recorded because too many were waiting to be written.',
    { environment },
  );
  const samples = new CallSamples(clock, {
    ...parts.bounds,
    onSampled: () => sampled.add(),
    onDropped: () => dropped.add(),
  });
  metrics.gauge(
    'bellhop_call_lines',
    'Lines of refused and failed calls that are in memory and wait to be written.',
    { environment },
    () => samples.lines,
  );

  function* batches(): Generator<CallBatch> {
    samples.giveTurns();
    for (let lines = next(); lines.length > 0; lines = next()) yield lines;
  }
  const next = () => samples.take(LINES_AT_ONCE);

  const writes = startBatchedWrites<CallBatch>({
    what: 'the record of refused calls',
    environment,
    everyMs: parts.everyMs ?? WRITE_EVERY_MS,
    batches,
    write: (batch) => store.add(batch),
    written(batch) {
      samples.release(batch);
      recorded.add(batch.length);
    },
    waiting: () => samples.lines,
    clock,
    log,
  });
  return {
    samples,
    ...writes,
    stop() {
      samples.giveAllTurns();
      return writes.stop();
    },
  };
}
