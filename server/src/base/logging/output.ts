/**
 * Writes to standard error without ever blocking the thread. A pipe or socket goes through libuv's
 * non-blocking stream: an `fs.write` to a pipe that nobody reads occupies a thread of the pool, and
 * process.exit waits for that thread. Everything else goes through `fs.write`.
 */
import { fstatSync, write, writeSync } from 'node:fs';

const STDERR = 2;

export interface LogOutput {
  /** Writes what it can, and calls back in a later tick. Callers wait for that before they write again. */
  write(bytes: Uint8Array, done: (error: Error | null, written: number) => void): void;
  /** Tries once at process exit, when there is no time to wait. `isBusy`: a write is in progress. */
  writeAtExit(bytes: Uint8Array, isBusy: boolean): void;
}

/** For the main thread: only its `process.stderr` may watch the descriptor. */
export function stderrOutput(): LogOutput {
  const { isPipe } = kindOfStderr();
  return isPipe ? streamOutput() : descriptorOutput();
}

/** For any thread. If the reader is slow, lines of another writer may get in between. */
export function descriptorOutput(): LogOutput {
  const { isFile } = kindOfStderr();
  return {
    write: (bytes, done) => write(STDERR, bytes, 0, bytes.length, null, done),
    writeAtExit(bytes, isBusy) {
      // A busy terminal may stay busy forever; a file is ready soon.
      if (!isBusy || isFile) writeOnce(bytes);
    },
  };
}

function streamOutput(): LogOutput {
  return {
    write(bytes, done) {
      process.stderr.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length));
    },
    writeAtExit(bytes, isBusy) {
      if (!isBusy) writeOnce(bytes);
    },
  };
}

function writeOnce(bytes: Uint8Array): void {
  try {
    writeSync(STDERR, bytes);
  } catch {
    // No space or no reader: the process ends anyway.
  }
}

function kindOfStderr(): { isPipe: boolean; isFile: boolean } {
  const stat = fstatSync(STDERR);
  return { isPipe: stat.isFIFO() || stat.isSocket(), isFile: stat.isFile() };
}
