/** One end of a move: the database of an environment, and the back office's tables beside it. */
import type { Kysely } from 'kysely';
import type { AdmissionJournal } from '../../limiter/limiter.ts';
import type { Schema } from '../../store/schema.ts';

export type Row = Record<string, unknown>;

/** A set of tables: the environment's, or the back office's. */
export interface Tables {
  /** Their names with their columns. */
  shapes(): Promise<Map<string, string[]>>;
  /** All rows, in batches. */
  read(table: string): AsyncIterable<readonly Row[]>;
  write(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void>;
  count(table: string): Promise<number>;
}

export interface MoveEnd extends AsyncDisposable {
  /** Begins a sentence; has no password. */
  readonly where: string;
  /** The folder, or the address without a password. */
  readonly name: string;
  readonly db: Kysely<Schema>;
  readonly tables: Tables;
  /** Undefined in a source without one. */
  readonly backOffice: Tables | undefined;
  readonly journal: AdmissionJournal;
  /** The highest number that a delivery ever had. */
  lastSeq(): Promise<number>;
  /** Later deliveries get higher numbers. */
  continueAfter(seq: number): Promise<void>;
  /** Throws if a server runs on it, or if one may have started since it was opened. */
  refuseIfInUse(): Promise<void>;
  /** Everything written is on the disk, and the planner knows it. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export const ROWS_PER_BATCH = 5_000;

/** State of running processes, what the migrations create, and what each engine keeps in its own way. */
const LEFT_OUT = new Set([
  ...['kysely_migration', 'kysely_migration_lock', 'sqlite_sequence'],
  ...['shard', 'delivery_node', 'key_change', 'admission'],
]);

export function isMoved(table: string): boolean {
  return !LEFT_OUT.has(table) && !table.startsWith('sqlite_');
}

export function isPostgresUrl(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

/** A data folder as it is; the address of a database without its password. */
export function shownAddress(address: string): string {
  if (!isPostgresUrl(address)) return address;
  if (!URL.canParse(address)) return 'an address that is not a URL';
  const url = new URL(address);
  url.password = '';
  // Options may hold a password, too.
  url.search = '';
  return url.href;
}
