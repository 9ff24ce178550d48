/**
 * The back office's own data: tokens and sessions, which belong to no environment, and the audit of
 * changes to them. It is opened beside the store of the first environment that a process serves, its home.
 * Embedded, it is a separate file in the data folder. On PostgreSQL, it is a separate schema in the home's
 * database, over the home's connections.
 */
import type { Transaction } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Change } from '../store.ts';
import type { BackOfficeDatabase, BackOfficeSchema } from './schema.ts';

export interface BackOfficeStore {
  readonly engine: Engine;
  readonly db: BackOfficeDatabase;
  /** See `Store`. */
  dbFor(caller: string): BackOfficeDatabase;
  /** For finding tokens: whoever reports order events must not wait behind reports. */
  readonly signIns: BackOfficeDatabase;
  /** One transaction: everything in it and its audit row, or nothing. */
  change<T>(actor: string, work: (change: BackOfficeChange) => Promise<T>): Promise<T>;
  /** Somebody signs out, or has to. */
  endSession(digest: string): Promise<void>;
  close(): Promise<void>;
}

export interface BackOfficeChange extends Pick<Change, 'now' | 'audit'> {
  readonly db: Transaction<BackOfficeSchema>;
}
