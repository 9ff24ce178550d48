/** Splits a stream into lines without ever holding more than one long line. */
import { createHash } from 'node:crypto';
import { hasMoreValuesThan } from '../../base/json-values.ts';
import { MOST_ALLOWED_IPS } from '../keys/key.ts';
import { Problem } from '../problem.ts';

/** A key with 1,000 allowed addresses has about 50 KB. */
export const LONGEST_LINE_BYTES = 131_072;
/** A key has the most: its allowed addresses, and half as many again for its endpoints and all else. */
export const MOST_VALUES_IN_LINE = 1.5 * MOST_ALLOWED_IPS;
export const MOST_LINES = 1_000_000;
export const LARGEST_IMPORT_BYTES = 512 * 1_048_576;

/** `text` is undefined if the line is too long, has too many values or is not UTF-8; `problem` says so. */
export type ReadLine =
  | { number: number; text: string; problem?: undefined }
  | { number: number; text?: undefined; problem: string };

const NEW_LINE = 0x0a;
const TOO_MANY_VALUES = `has more than ${MOST_VALUES_IN_LINE.toLocaleString('en')} values`;
const TOO_LONG = `is longer than ${LONGEST_LINE_BYTES / 1_024} KiB`;

export interface ReadLines {
  /** The lines of one chunk at a time. Empty lines are left out. */
  lines: AsyncGenerator<ReadLine[]>;
  /** Of everything read. */
  sha256(): string;
}

export function readLines(body: AsyncIterable<Buffer>): ReadLines {
  const hash = createHash('sha256');
  return { lines: split(body, hash), sha256: () => hash.digest('hex') };
}

async function* split(
  body: AsyncIterable<Buffer>,
  hash: { update(chunk: Buffer): unknown },
): AsyncGenerator<ReadLine[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let number = 1;
  /** The beginning of a line that continues in the next chunk. */
  let rest: Buffer[] = [];
  let restBytes = 0;

  /** Undefined for an empty line. */
  function lineOf(last: Buffer): ReadLine | undefined {
    const length = restBytes + last.length;
    const parts = [...rest, last];
    rest = [];
    restBytes = 0;
    const at = number++;
    if (length > LONGEST_LINE_BYTES) return { number: at, problem: TOO_LONG };
    const line = parts.length > 1 ? Buffer.concat(parts) : last;
    if (hasMoreValuesThan(MOST_VALUES_IN_LINE, line)) {
      return { number: at, problem: TOO_MANY_VALUES };
    }
    try {
      // The decoder drops a byte order mark.
      const text = decoder.decode(line).trim();
      return text === '' ? undefined : { number: at, text };
    } catch {
      return { number: at, problem: 'is not UTF-8' };
    }
  }

  function keep(part: Buffer): void {
    restBytes += part.length;
    // Of a line that is too long, only its length matters.
    if (restBytes > LONGEST_LINE_BYTES) rest = [];
    else rest.push(part);
  }

  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > LARGEST_IMPORT_BYTES) throw tooLarge(`${LARGEST_IMPORT_BYTES / 1_048_576} MiB`);
    hash.update(chunk);
    const found: ReadLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, start)) {
      const line = lineOf(chunk.subarray(start, end));
      if (line) found.push(line);
      start = end + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
    if (number > MOST_LINES + 1) throw tooLarge(`${MOST_LINES.toLocaleString('en')} lines`);
    if (found.length > 0) yield found;
  }
  const last = restBytes > 0 ? lineOf(Buffer.alloc(0)) : undefined;
  if (last) yield [last];
}

function tooLarge(limit: string): Problem {
  return new Problem(
    'body_too_large',
    `An import has at most ${limit}. Split the file; later files may refer to the records of earlier ones.`,
  );
}
