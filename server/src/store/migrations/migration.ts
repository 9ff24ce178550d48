/**
 * What migrations share. A released migration is never edited, so it imports no code that may change: it spells
 * out its own SQL. The rules for writing one are in CONTRIBUTING.md.
 */
import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema as it was when it was written.
export type Db = Kysely<any>;

/**
 * The first one of a set creates tables that nobody uses yet, in one transaction together with the record that it was
 * done. Every later one is a list of steps, because calls and deliveries go on meanwhile. On PostgreSQL, the search path
 * is the schema of the tables.
 */
export type Migration = FirstMigration | readonly Step[];
export type FirstMigration = (db: Db, engine: Engine) => Promise<void>;

/** One at a time, each recorded when it is done: a migration that was killed continues with the next one. */
export type Step = Change | NewIndex | Fill;

/** Statements that lock the table for a moment: they may read or write no more than a few rows. One transaction. */
export interface Change {
  kind: 'change';
  table: string;
  statements: readonly string[];
}

/** Built while others read and write the table. */
export interface NewIndex {
  kind: 'index';
  table: string;
  name: string;
  /** What follows the name of the table: `(at, id) where at is not null`. */
  on: string;
  unique?: boolean;
}

/**
 * Changes many rows. While others use the table, it walks along the key once, a few rows at a time, each time in a
 * transaction of its own.
 */
export interface Fill {
  kind: 'fill';
  table: string;
  /** A column with a unique index. */
  key: string;
  /** `next = event_id` */
  set: string;
  /** `next is null`: not for rows that are done, because a fill that was killed begins again. */
  where: string;
}

/** Of a `Fill`, in one transaction: some milliseconds. */
export const ROWS_AT_A_TIME = 500;

export async function run(db: Db, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export function fillStatement({ table, set, where }: Fill): string {
  return `update ${table} set ${set} where (${where})`;
}

export function indexStatement({ table, name, on, unique = false }: NewIndex, how = ''): string {
  return `create ${unique ? 'unique ' : ''}index ${how} if not exists ${name} on ${table} ${on}`;
}
