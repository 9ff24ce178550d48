/**
 * What a disk may hold after a power cut: everything that a sync confirmed before the cut, and any subset
 * of the later writes, in parts of a sector. Names of files count as safe: SQLite syncs the folder when it
 * creates a log, which is before the load starts.
 */
import type { Random } from '../random.ts';
import type { Recorded, Recording, Write } from './recording.ts';

const SECTOR_BYTES = 512;
const TORN = 0.3;

export interface Cut {
  /** A position in the recording. */
  at: number;
  /** The probability that a write survives which no sync has confirmed. */
  luck: number;
}

export interface Image {
  files: Map<string, Buffer>;
  unconfirmed: number;
  lost: number;
}

export function imageAt({ calls }: Recording, { at, luck }: Cut, random: Random): Image {
  const confirmedBefore = lastSyncs(calls, at);
  const files = new Map<string, GrowingFile>();
  let unconfirmed = 0;
  let lost = 0;
  for (const call of calls) {
    if (call.began > at) break;
    if (call.kind === 'sync') continue;
    const file = files.get(call.file) ?? new GrowingFile();
    files.set(call.file, file);
    const isSafe = call.ended < (confirmedBefore.get(call.file) ?? 0);
    if (!isSafe) unconfirmed++;
    if (!isSafe && !random.chance(luck)) lost++;
    else if (call.kind === 'truncation') file.truncate(call.size);
    else if (isSafe || !random.chance(TORN)) file.write(call.bytes, call.offset);
    else writeTorn(file, call, random);
  }
  const contents = [...files].map(([name, file]) => [name, file.content()] as const);
  return { files: new Map(contents), unconfirmed, lost };
}

/** For each file, when the latest sync began that had ended before the cut. */
function lastSyncs(calls: readonly Recorded[], at: number): Map<string, number> {
  const syncs = new Map<string, number>();
  for (const { kind, file, began, ended } of calls) {
    if (kind === 'sync' && ended <= at) syncs.set(file, Math.max(began, syncs.get(file) ?? 0));
  }
  return syncs;
}

function writeTorn(file: GrowingFile, { bytes, offset }: Write, random: Random): void {
  for (let from = 0; from < bytes.length; ) {
    // Sectors are those of the disk, not of the write.
    const to = Math.min(bytes.length, from + SECTOR_BYTES - ((offset + from) % SECTOR_BYTES));
    if (random.chance(0.5)) file.write(bytes.subarray(from, to), offset + from);
    from = to;
  }
}

class GrowingFile {
  #bytes = Buffer.alloc(65_536);
  #size = 0;

  write(bytes: Buffer, offset: number): void {
    const end = offset + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, offset);
    this.#size = Math.max(this.#size, end);
  }

  truncate(size: number): void {
    if (size > this.#size) this.write(Buffer.alloc(size - this.#size), this.#size);
    this.#bytes.fill(0, size);
    this.#size = size;
  }

  content(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }
}
