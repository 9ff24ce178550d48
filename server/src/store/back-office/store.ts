/**
 * The back office's own data: tokens and sessions, which belong to no environment, and the audit of their
 * changes. It is opened beside the store of the first environment that a process serves, its home:
 * embedded, as a file of its own in the data folder; on PostgreSQL, as a schema of its own in the home's
 * database, over the home's connections.
 */
import type { Kysely, Transaction } from 'kysely';
import type { Engine } from '../engine.ts';
import type { BackOfficeSchema } from './schema.ts';

export interface BackOfficeStore {
  readonly engine: Engine;
  readonly db: Kysely<BackOfficeSchema>;
  /** One transaction: everything in it and its audit row, or nothing. */
  change<T>(actor: string, work: (change: BackOfficeChange) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface BackOfficeChange {
  readonly db: Transaction<BackOfficeSchema>;
  readonly now: number;
  /** What was changed, for people: `before` and `after` hold no secrets. */
  audit(
    action: string,
    subject: string,
    before: object | null,
    after: object | null,
  ): Promise<void>;
}
