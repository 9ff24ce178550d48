/** Of a PostgreSQL database: what is missing, and how long it takes on a copy. */
import { type Kysely, sql } from 'kysely';
import { PreconditionFailed } from '../../base/config/config.ts';
import { DatabaseAway } from '../../base/database-errors.ts';
import type { Log } from '../../base/log.ts';
import { describeStep, type PlannedStep, plannedSteps } from '../planned-steps.ts';
import type { TableSet } from '../table-sets.ts';
import { readMasterKeysInUse } from './master-keys-in-use.ts';
import { migrateInSteps } from './migrate-in-steps.ts';
import { onMigrationConnection } from './migrating.ts';
import { readHistory } from './migration-history.ts';

export async function planPostgres(
  url: string,
  tables: TableSet,
  log: Log,
  where: string,
): Promise<PlannedStep[]> {
  let planned: PlannedStep[] = [];
  await reached(where, url, log, async (db) => {
    const history = await readHistory(db, tables, where);
    planned = plannedSteps(
      tables,
      (name) => history?.done.has(name) ?? false,
      (name) => history?.stepsDone(name) ?? 0,
    );
  });
  return planned;
}

export interface TimedStep extends Pick<PlannedStep, 'migration' | 'what'> {
  took_ms: number;
}

/** Migrates the copy, which is of this release afterwards. Refuses a database that nodes use. */
export async function timeOnCopy(url: string, tables: TableSet, log: Log): Promise<TimedStep[]> {
  const where = 'The copy';
  const timed: TimedStep[] = [];
  await reached(where, url, log, async (db) => {
    if (!(await readHistory(db, tables, where))) {
      throw new PreconditionFailed('The copy has no tables of Bellhop; restore a backup into it.');
    }
    await sql`set search_path to ${sql.id(tables.schema)}`.execute(db);
    if ((await readMasterKeysInUse(db)).length > 0) {
      throw new PreconditionFailed('Nodes of Bellhop run on this database, so it is not a copy.');
    }
    await migrateInSteps(db, tables, {
      where,
      onStep({ migration, step, tookMs }) {
        const what = step ? describeStep(step).what : 'create the tables';
        timed.push({ migration, what, took_ms: Math.round(tookMs) });
      },
    });
  });
  return timed;
}

async function reached(
  where: string,
  url: string,
  log: Log,
  run: (db: Kysely<never>) => Promise<void>,
): Promise<void> {
  try {
    await onMigrationConnection(url, log, run);
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error;
    throw new PreconditionFailed(`${where} cannot be opened (${error.message}).`);
  }
}
