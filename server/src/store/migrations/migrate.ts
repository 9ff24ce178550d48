/** Brings the tables of a database to those of this release. Migrations only go forward. */
import { Migrator } from 'kysely/migration';
import { ConfigError } from '../../base/config/config.ts';
import type { Engine } from '../engine.ts';
import type { TableSet } from '../table-sets.ts';
import { type Db, fillStatement, indexStatement, type Migration, run } from './migration.ts';

/**
 * An embedded database belongs to one process, which does nothing else yet. So all migrations that are missing run in
 * one transaction with the records of them: whatever stops it, the database is as it was, and the next start begins
 * again. `where` names the database in refusals. PostgreSQL has its own way: ../postgres/migrate-in-steps.ts.
 */
export async function migrateEmbedded(
  db: Db,
  { migrations }: TableSet,
  where = 'The database',
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          Object.entries(migrations).map(([name, one]) => [
            name,
            { up: (transaction: Db) => runAtOnce(transaction, one, 'sqlite') },
          ]),
        ),
    },
  });
  const known = await migrator.getMigrations();
  const { error } = await migrator.migrateToLatest();
  const message = error instanceof Error ? error.message : '';
  const [, unknown] = /previously executed migration (.*) is missing/.exec(message) ?? [];
  if (unknown !== undefined) {
    if (known[0]?.executedAt === undefined) throw fromBeforeTheFirstRelease(where);
    throw ofNewerRelease(where, unknown);
  }
  if (error) throw error;
}

/** All of it in the transaction of the caller, for tables that nobody else uses. */
export async function runAtOnce(db: Db, migration: Migration, engine: Engine): Promise<void> {
  if (typeof migration === 'function') return migration(db, engine);
  for (const step of migration) {
    if (step.kind === 'change') await run(db, step.statements);
    else if (step.kind === 'index') await run(db, [indexStatement(step)]);
    else await run(db, [fillStatement(step)]);
  }
}

export function ofNewerRelease(where: string, migration: string): ConfigError {
  return new ConfigError(
    `${where} was used by a newer Bellhop (its migration ${migration} is not known here), and this one would damage it; start the newer release, or restore the backup that was made before the upgrade (docs/operating/upgrading.md).`,
    'data',
  );
}

/** The history of a database must begin like ours; those of versions before the first release do not. */
export function fromBeforeTheFirstRelease(where: string): ConfigError {
  return new ConfigError(
    `${where} was made by a version of Bellhop from before its first release, which this one cannot read; export what you need with that version ("bellhop export"), move the database away, and import into the new one that the next start creates.`,
    'data',
  );
}
