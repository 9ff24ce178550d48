/**
 * What a process wrote to its database files and when it waited for the disk, read from the output of
 * strace. A call that strace shows in two lines began at the first and ended at the second.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Everything SQLite does to a database or its log. Its shared memory does not outlive a power cut. */
export const CALLS = 'pwrite64,fsync,fdatasync,ftruncate';
const FILES = /\.db(-wal)?$/;

interface Call {
  file: string;
  /** Positions in the recording. */
  began: number;
  ended: number;
}
export interface Write extends Call {
  kind: 'write';
  offset: number;
  bytes: Buffer;
}
export interface Truncation extends Call {
  kind: 'truncation';
  size: number;
}
export interface Sync extends Call {
  kind: 'sync';
}
export type Recorded = Write | Truncation | Sync;

export interface Recording {
  /** In the order in which they began. */
  calls: Recorded[];
  /** The time at each position, in milliseconds. */
  timesMs: number[];
}

const LINE = /^(\d+) (\d+\.\d+) (.*)$/s;
const BEGINNING = /^(\w+)\(\d+<((?:\\x[0-9a-f]{2})*)>(.*)$/s;
const RESUMED = /^<\.\.\. \w+ resumed>/;
const WRITE_ARGUMENTS = /^, "((?:\\x[0-9a-f]{2})*)"(\.\.\.)?, \d+, (\d+)/;
const TRUNCATE_ARGUMENTS = /^, (\d+)/;
const FAILED = /= -\d+ [A-Z]+/;

export async function readRecording(file: string): Promise<Recording> {
  return parseRecording(createInterface({ input: createReadStream(file) }));
}

export async function parseRecording(
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<Recording> {
  const calls: Recorded[] = [];
  const timesMs: number[] = [];
  const unfinished = new Map<string, Recorded>();
  for await (const line of lines) {
    const [, thread = '', seconds, text = ''] = LINE.exec(line) ?? [];
    if (seconds === undefined) continue;
    const at = timesMs.push(Number(seconds) * 1_000) - 1;
    if (RESUMED.test(text)) {
      const call = unfinished.get(thread);
      unfinished.delete(thread);
      // A call that failed never ended, as far as the disk is concerned.
      if (call && !FAILED.test(text)) call.ended = at;
      continue;
    }
    const call = toCall(text, at);
    if (!call) continue;
    calls.push(call);
    if (text.endsWith('<unfinished ...>')) unfinished.set(thread, call);
    else if (!FAILED.test(text.slice(-100))) call.ended = at;
  }
  return { calls, timesMs };
}

function toCall(text: string, at: number): Recorded | undefined {
  const [, name, path = '', rest = ''] = BEGINNING.exec(text) ?? [];
  const file = fromHex(path).toString();
  if (name === undefined || !FILES.test(file)) return undefined;
  const call = { file, began: at, ended: Number.POSITIVE_INFINITY };
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'sync', ...call };
  if (name === 'ftruncate') {
    const [, size = ''] = TRUNCATE_ARGUMENTS.exec(rest) ?? [];
    return { kind: 'truncation', ...call, size: Number(size) };
  }
  if (name !== 'pwrite64') return undefined;
  const [, bytes, cut, offset] = WRITE_ARGUMENTS.exec(rest) ?? [];
  if (bytes === undefined || cut)
    throw new Error(`A write was not recorded whole: ${text.slice(0, 200)}`);
  return { kind: 'write', ...call, offset: Number(offset), bytes: fromHex(bytes) };
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}
