/**
 * Standard error, written without ever blocking the thread. A pipe or socket goes through libuv's
 * non-blocking stream: an `fs.write` to a pipe that nobody reads holds a thread of the pool, and
 * process.exit would wait for that thread. Everything else goes through `fs.write`.
 */
import { fstatSync, write, writeSync } from 'node:fs';

const STDERR = 2;

export interface LogOutput {
  /** Writes what it can and calls back, never in the same tick. Never called while it is busy. */
  write(bytes: Uint8Array, done: (error: Error | null, written: number) => void): void;
  /** One attempt at process exit, when there is no time to wait. `isBusy`: a write is under way. */
  writeAtExit(bytes: Uint8Array, isBusy: boolean): void;
}

/** For the main thread: its `process.stderr` is the one stream that may watch the descriptor. */
export function stderrOutput(): LogOutput {
  const { isPipe } = kindOfStderr();
  return isPipe ? streamOutput() : descriptorOutput();
}

/** For any thread. Lines of another writer may get in between when the other end is slow. */
export function descriptorOutput(): LogOutput {
  const { isFile } = kindOfStderr();
  return {
    write: (bytes, done) => write(STDERR, bytes, 0, bytes.length, null, done),
    writeAtExit(bytes, isBusy) {
      // A terminal that is busy may be so for good; a file is done with soon.
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
    // No room, no reader: the process ends all the same.
  }
}

function kindOfStderr(): { isPipe: boolean; isFile: boolean } {
  const stat = fstatSync(STDERR);
  return { isPipe: stat.isFIFO() || stat.isSocket(), isFile: stat.isFile() };
}
