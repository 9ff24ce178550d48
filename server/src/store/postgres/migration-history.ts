/**
 * Which migrations a PostgreSQL database has had. The table has the form of Kysely's, which first created it. A
 * migration that is under way has a row for each step that is done; older releases refuse such a database, as they
 * should.
 */
import { sql } from 'kysely';
import { fromBeforeTheFirstRelease, ofNewerRelease } from '../migrations/migrate.ts';
import type { Db } from '../migrations/migration.ts';
import type { TableSet } from '../table-sets.ts';

export interface History {
  /** The names of migrations that are done. */
  done: ReadonlySet<string>;
  /** How many steps of the first one that is not done. */
  stepsDone(migration: string): number;
}

const stepName = (migration: string, step: number) => `${migration}#${step}`;

export async function createHistory(db: Db, schema: string): Promise<void> {
  await sql`create schema if not exists ${sql.id(schema)}`.execute(db);
  await sql`create table if not exists ${sql.table(`${schema}.kysely_migration`)} (
    name varchar(255) primary key, timestamp varchar(255) not null)`.execute(db);
}

/** Undefined if the database has none of these tables yet. Refuses one of another release. */
export async function readHistory(
  db: Db,
  { schema, migrations }: TableSet,
  where: string,
): Promise<History | undefined> {
  const { rows: found } = await sql<{ there: boolean }>`
    select to_regclass(${`${schema}.kysely_migration`}) is not null as there`.execute(db);
  if (!found[0]?.there) return undefined;
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(`${schema}.kysely_migration`)} order by name`.execute(db);
  const names = new Set(rows.map(({ name }) => name));
  const known = Object.keys(migrations);
  const isOurs = (name: string) => known.includes(name.replace(/#\d+$/, ''));
  const other = [...names].find((name) => !isOurs(name));
  if (other !== undefined) {
    if (!names.has(known[0] as string)) throw fromBeforeTheFirstRelease(where);
    throw ofNewerRelease(where, other);
  }
  return {
    done: names,
    stepsDone(migration) {
      let steps = 0;
      while (names.has(stepName(migration, steps))) steps++;
      return steps;
    },
  };
}

export async function recordStep(
  db: Db,
  schema: string,
  migration: string,
  step: number,
): Promise<void> {
  await insert(db, schema, stepName(migration, step));
}

/** In a transaction, if its tables are created in it. */
export async function recordMigration(db: Db, schema: string, migration: string): Promise<void> {
  await sql`delete from ${sql.table(`${schema}.kysely_migration`)}
    where starts_with(name, ${`${migration}#`})`.execute(db);
  await insert(db, schema, migration);
}

async function insert(db: Db, schema: string, name: string): Promise<void> {
  await sql`insert into ${sql.table(`${schema}.kysely_migration`)}
    values (${name}, ${new Date().toISOString()})`.execute(db);
}
