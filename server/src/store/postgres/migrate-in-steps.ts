/**
 * Migrates a PostgreSQL database while other nodes serve calls and deliver. Nobody waits for a migration for longer than
 * a second, however large the tables are:
 *
 * - a change waits for its lock for at most LOCK_WAIT_MS, because everyone else queues behind it, and then has
 *   LONGEST_CHANGE_MS; otherwise it is undone and tried again after a pause;
 * - an index is built concurrently; one that a killed migration left half-built is dropped first;
 * - a fill changes a few rows at a time.
 *
 * Each step is recorded, so that a migration that was killed is continued by the next start.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { ConfigError } from '../../base/config/config.ts';
import { runAtOnce } from '../migrations/migrate.ts';
import {
  type Change,
  type Db,
  type Fill,
  fillStatement,
  indexStatement,
  type NewIndex,
  ROWS_AT_A_TIME,
  type Step,
} from '../migrations/migration.ts';
import type { TableSet } from '../table-sets.ts';
import { createHistory, readHistory, recordMigration, recordStep } from './migration-history.ts';

export const LOCK_WAIT_MS = 400;
export const LONGEST_CHANGE_MS = 500;
const TRY_AGAIN_AFTER_MS = 1_000;
/** A transaction that is older than ten minutes has to be ended by someone who knows what it is. */
const MOST_TRIES = 600;
/** Between the parts of a fill, so that it takes at most half of the time of a disk. */
const FILL_PAUSE_MS = 10;

const LOCK_TIMEOUT = '55P03';
const STATEMENT_TIMEOUT = '57014';

export interface DoneStep {
  migration: string;
  step: Step | undefined;
  tookMs: number;
}

/** `where` names the database in refusals. */
export async function migrateInSteps(
  db: Db,
  tables: TableSet,
  { where = 'The database', onStep }: { where?: string; onStep?: (done: DoneStep) => void } = {},
): Promise<void> {
  const { schema, migrations } = tables;
  await createHistory(db, schema);
  const history = await readHistory(db, tables, where);
  await sql`set search_path to ${sql.id(schema)}`.execute(db);
  for (const [name, migration] of Object.entries(migrations)) {
    if (history?.done.has(name)) continue;
    const timed = async (step: Step | undefined, work: () => Promise<void>) => {
      const startedMs = performance.now();
      await work();
      onStep?.({ migration: name, step, tookMs: performance.now() - startedMs });
    };
    if (typeof migration === 'function') {
      await timed(undefined, () =>
        db.transaction().execute(async (transaction) => {
          await migration(transaction, 'postgres');
          await recordMigration(transaction, schema, name);
        }),
      );
      continue;
    }
    const first = history?.stepsDone(name) ?? 0;
    for (const [index, step] of migration.entries()) {
      if (index < first) continue;
      const record = (on: Db) => recordStep(on, schema, name, index);
      await timed(step, () => runStep(db, step, record));
    }
    await db.transaction().execute((transaction) => recordMigration(transaction, schema, name));
  }
}

/** For a database that nobody uses yet, in the transaction of the caller. */
export async function migrateNew(transaction: Db, { schema, migrations }: TableSet): Promise<void> {
  await createHistory(transaction, schema);
  await sql`set local search_path to ${sql.id(schema)}`.execute(transaction);
  for (const [name, migration] of Object.entries(migrations)) {
    await runAtOnce(transaction, migration, 'postgres');
    await recordMigration(transaction, schema, name);
  }
}

type Record = (on: Db) => Promise<void>;

async function runStep(db: Db, step: Step, record: Record): Promise<void> {
  if (step.kind === 'change') return change(db, step, record);
  if (step.kind === 'index') await buildIndex(db, step);
  else await fill(db, step);
  await record(db);
}

async function change(db: Db, step: Change, record: Record): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await db.transaction().execute(async (transaction) => {
        await sql`set local lock_timeout to ${sql.lit(LOCK_WAIT_MS)}`.execute(transaction);
        const endMs = performance.now() + LOCK_WAIT_MS + LONGEST_CHANGE_MS;
        for (const statement of step.statements) await within(transaction, endMs, statement);
        await record(transaction);
      });
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== LOCK_TIMEOUT && code !== STATEMENT_TIMEOUT) throw error;
      if (tries === MOST_TRIES) throw tooLong(step.table);
      await pause(TRY_AGAIN_AFTER_MS);
    }
  }
}

async function within(db: Transaction<unknown>, endMs: number, statement: string): Promise<void> {
  const leftMs = Math.max(1, Math.ceil(endMs - performance.now()));
  await sql`set local statement_timeout to ${sql.lit(leftMs)}`.execute(db);
  await sql.raw(statement).execute(db);
}

function tooLong(table: string): ConfigError {
  return new ConfigError(
    `The table ${table} could not be changed within a second, although it was tried ${MOST_TRIES} times; look for long transactions that use it in pg_stat_activity, end them, and start Bellhop again.`,
    'unavailable',
  );
}

async function buildIndex(db: Db, step: NewIndex): Promise<void> {
  const { rows } = await sql<{ valid: boolean }>`
    select i.indisvalid as valid from pg_index i where i.indexrelid = to_regclass(${step.name})`.execute(
    db,
  );
  if (rows[0]?.valid === false) {
    await sql`drop index concurrently ${sql.id(step.name)}`.execute(db);
  }
  await sql.raw(indexStatement(step, 'concurrently')).execute(db);
}

/**
 * Ends with the rows that were there: nodes of the release before may go on adding some that are not filled. To look for
 * the next rows that are not done, instead of walking on, would read past all that are done, over and over.
 */
async function fill(db: Db, step: Fill): Promise<void> {
  const key = sql.ref(step.key);
  const lastOf = async (rows: RawBuilder<unknown>): Promise<unknown> => {
    const found = await sql<{ last: unknown }>`select max(key) as last from ${rows}`.execute(db);
    return found.rows[0]?.last;
  };
  const all = sql`(select ${key} as key from ${sql.table(step.table)}`;
  const end = await lastOf(sql`${all}) as walked`);
  let done: unknown = null;
  while (end !== null && done !== end) {
    const isAhead =
      done === null ? sql`${key} <= ${end}` : sql`${key} > ${done} and ${key} <= ${end}`;
    const last = await lastOf(
      sql`${all} where ${isAhead} order by ${key} limit ${sql.lit(ROWS_AT_A_TIME)}) as walked`,
    );
    // The last ones were deleted meanwhile.
    if (last === null) return;
    await sql`${sql.raw(fillStatement(step))} and ${isAhead} and ${key} <= ${last}`.execute(db);
    done = last;
    await pause(FILL_PAUSE_MS);
  }
}
