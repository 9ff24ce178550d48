/**
 * Bounds what an entry of the audit holds of a record before and after a change. A record may have a list of a thousand
 * addresses, and a partner may change its label every two seconds: each entry would hold that list twice. What is the same
 * on both sides goes first, because it says nothing of the change.
 */
import { isDeepStrictEqual } from 'node:util';

export const LARGEST_AUDIT_BYTES = 4_096;
/** What is smaller than this stays, so that an entry still says what it is about. */
const SMALL_BYTES = 256;
/** For `left_out` itself. */
const ROOM_BYTES = 512;

type Fields = Record<string, unknown>;
interface Sides {
  before: Fields | null;
  after: Fields | null;
}

/** `left_out` says how many bytes of each field were left out. It is in `after`, or in `before` if there is no `after`. */
export function boundedEntry(given: { before: object | null; after: object | null }): Sides {
  const sides = given as Sides;
  if (bytesOf(sides.before) + bytesOf(sides.after) <= LARGEST_AUDIT_BYTES) return sides;
  const kept = leaveOutSame(sides);
  for (let excess = excessOf(kept); excess > 0; excess = excessOf(kept)) {
    const [side, field] = largestIn(kept);
    const fields = kept[side] as Fields;
    const shorter = shortened(fields[field], Math.max(0, bytesOf(fields[field]) - excess));
    if (shorter === undefined) delete fields[field];
    else fields[field] = shorter;
  }
  const left_out = leftOut(sides, kept);
  return kept.after
    ? { ...kept, after: { ...kept.after, left_out } }
    : { ...kept, before: { ...kept.before, left_out } };
}

function leaveOutSame({ before, after }: Sides): Sides {
  const kept: Sides = { before: before && { ...before }, after: after && { ...after } };
  if (!kept.before || !kept.after) return kept;
  for (const [field, was] of Object.entries(kept.before)) {
    const is = kept.after[field];
    if (bytesOf(was) + bytesOf(is) <= SMALL_BYTES) continue;
    if (isDeepStrictEqual(was, is)) {
      delete kept.before[field];
      delete kept.after[field];
    } else if (Array.isArray(was) && Array.isArray(is)) {
      const [inBefore, inAfter] = [was, is].map((items) => new Set(items.map(textOf)));
      kept.before[field] = was.filter((item) => !inAfter?.has(textOf(item)));
      kept.after[field] = is.filter((item) => !inBefore?.has(textOf(item)));
    }
  }
  return kept;
}

function excessOf({ before, after }: Sides): number {
  return bytesOf(before) + bytesOf(after) - (LARGEST_AUDIT_BYTES - ROOM_BYTES);
}

function largestIn(kept: Sides): [side: keyof Sides, field: string] {
  const all = (['before', 'after'] as const).flatMap((side) =>
    Object.entries(kept[side] ?? {}).map(([field, value]) => ({
      side,
      field,
      bytes: bytesOf(value),
    })),
  );
  const { side, field } = all.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  return [side, field];
}

/** Its beginning, as long as it fits; undefined if nothing does. */
function shortened(value: unknown, mostBytes: number): unknown {
  if (typeof value === 'string') {
    let text = '';
    let bytes = bytesOf('…');
    for (const character of value) {
      bytes += bytesOf(character) - 2;
      if (bytes > mostBytes) break;
      text += character;
    }
    return text === '' ? undefined : `${text}…`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const parts = Object.entries(value);
  const kept: typeof parts = [];
  let bytes = 2;
  for (const [name, part] of parts) {
    bytes += bytesOf(part) + 1 + (Array.isArray(value) ? 0 : bytesOf(name) + 1);
    if (bytes > mostBytes) break;
    kept.push([name, part]);
  }
  if (kept.length === 0) return undefined;
  return Array.isArray(value) ? kept.map(([, part]) => part) : Object.fromEntries(kept);
}

function leftOut(all: Sides, kept: Sides): Record<string, number> {
  const left: Record<string, number> = {};
  for (const side of ['before', 'after'] as const) {
    for (const [field, value] of Object.entries(all[side] ?? {})) {
      const bytes = bytesOf(value) - bytesOf(kept[side]?.[field]);
      if (bytes > 0) left[field] = (left[field] ?? 0) + bytes;
    }
  }
  return left;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(textOf(value));
}
