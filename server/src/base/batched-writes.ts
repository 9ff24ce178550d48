/**
 * Writes what calls and attempts leave in memory to the database: in batches, every so often and when the process stops.
 * While the database is away, it waits in memory, and nobody notices. A batch stays the same until it is written, so
 * that the store can tell if it arrives twice.
 */
import { type Clock, repeat } from './clock.ts';
import type { EnvironmentName } from './config/settings.ts';
import type { Log } from './log.ts';

/** While the database is away, it is tried less and less often, but never less than this. */
const LONGEST_WAIT_MS = 30_000;
/** A stop must not take long. What is left is lost, as in a crash. */
const STOP_WITHIN_MS = 3_000;

/** Resolves once the batch is written. */
export type Write<Batch> = (batch: Batch) => Promise<void>;

export interface BatchedWrites<Batch> {
  /** From now on, another thread writes, so that this one does not wait for the disk. */
  writeThrough(write: Write<Batch>): void;
  /** Writes what waits. The timer calls it too. */
  flush(): Promise<void>;
  /** Writes the rest in this thread. Never rejects: a stop does not fail because of it. */
  stop(): Promise<void>;
}

export function startBatchedWrites<Batch>(parts: {
  /** As in "the usage history cannot be written". */
  what: string;
  environment: EnvironmentName;
  everyMs: number;
  /** What waits, for one flush; begins where an earlier one that failed has ended. */
  batches(): Iterable<Batch>;
  write: Write<Batch>;
  written(batch: Batch): void;
  /** How much is in memory. */
  waiting(): number;
  clock: Clock;
  log: Log;
}): BatchedWrites<Batch> {
  const { what, environment, everyMs, batches, written, waiting, clock, log } = parts;
  let { write } = parts;
  let unwritten: Batch | undefined;
  let flushing: Promise<void> = Promise.resolve();
  let isFailing = false;
  const flushed = () => flush().then(() => !isFailing);
  const timer = repeat(clock, everyMs, flushed, LONGEST_WAIT_MS);

  async function writeOne(batch: Batch, deadlineMs: number): Promise<void> {
    unwritten = batch;
    if (clock.monotonic() >= deadlineMs) throw new Error('The stop took too long.');
    await write(batch);
    unwritten = undefined;
    written(batch);
  }

  async function writeAll(deadlineMs: number): Promise<void> {
    if (unwritten !== undefined) await writeOne(unwritten, deadlineMs);
    for (const batch of batches()) await writeOne(batch, deadlineMs);
  }

  /** Flushes run one after another; a second call also waits for the first. */
  function flush(deadlineMs = Number.POSITIVE_INFINITY): Promise<void> {
    flushing = flushing.then(async () => {
      if (waiting() === 0) return;
      try {
        await writeAll(deadlineMs);
        if (isFailing) log.info({ environment }, `${what} is written again`);
        isFailing = false;
      } catch (error) {
        if (!isFailing) {
          // Not a warning: nothing is lost yet, and the store itself warns about its disk or its server.
          log.info({ environment, err: error }, `${what} cannot be written; trying again`);
        }
        isFailing = true;
      }
    });
    return flushing;
  }

  return {
    writeThrough(through) {
      write = through;
    },
    flush: () => flush(),
    async stop() {
      timer.cancel();
      await flushing;
      // The other thread may have stopped already.
      write = parts.write;
      await flush(clock.monotonic() + STOP_WITHIN_MS);
      if (waiting() > 0) {
        log.warn({ environment, records: waiting() }, `a part of ${what} is lost`);
      }
    },
  };
}
