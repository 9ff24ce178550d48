/** Brings the tables of a database to those of this release. Migrations only go forward. */
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { ConfigError } from '../../config/config.ts';
import { isPostgres } from '../engine.ts';
import type { TableSet } from '../table-sets.ts';
import type { Db, Migration } from './migration.ts';

/**
 * All migrations that are missing, or none, in one transaction with the records of them: whatever stops it, the
 * database is as it was, and the next start begins again. `where` names the database in refusals.
 */
export async function migrate(
  db: Db,
  { schema, migrations }: TableSet,
  where = 'The database',
): Promise<void> {
  const own = isPostgres(db) ? schema : undefined;
  const migrator = new Migrator({
    db,
    // Without it, Kysely would take tables of the same name in other schemas for ours.
    ...(own !== undefined && { migrationTableSchema: own }),
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          Object.entries(migrations).map(([name, up]) => [name, { up: stepIn(own, up) }]),
        ),
    },
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    const [first] = await migrator.getMigrations();
    if (first?.executedAt === undefined) throw fromBeforeTheFirstRelease(where);
    throw new ConfigError(
      `The database was used by a newer Bellhop, which this one would damage: ${error.message}.`,
      'data',
    );
  }
  if (error) throw error;
}

function stepIn(schema: string | undefined, up: Migration) {
  return async (transaction: Db) => {
    if (schema === undefined) return up(transaction, 'sqlite');
    await sql`set local search_path to ${sql.id(schema)}`.execute(transaction);
    await up(transaction, 'postgres');
  };
}

/** The history of a database must begin like ours; those of versions before the first release do not. */
export function fromBeforeTheFirstRelease(where: string): ConfigError {
  return new ConfigError(
    `${where} was made by a version of Bellhop from before its first release, which this one cannot read; export what you need with that version ("bellhop export"), move the database away, and import into the new one that the next start creates.`,
    'data',
  );
}
