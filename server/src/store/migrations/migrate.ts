/**
 * The schema's history, written once for both engines. A migration that has been released is never
 * edited; the next change is the next entry (migration.ts).
 */
import { type Migration, Migrator } from 'kysely/migration';
import { ConfigError } from '../../config/config.ts';
import type { Engine } from '../engine.ts';
import { createPartnerApi } from './0001-partner-api.ts';
import { createOrderWebhooks } from './0002-order-webhooks.ts';
import { createConsoleTables } from './0003-console.ts';
import { addRestatedAdmissions } from './0004-restated-admissions.ts';
import { addAttemptFacts } from './0005-attempt-facts.ts';
import { changeDeliveryRules } from './0006-delivery-rules.ts';
import { addAdmissionWindows } from './0007-admission-windows.ts';
import { createQueue } from './0008-queue.ts';
import { createKeyRules } from './0009-key-rules.ts';
import { createListIndices } from './0010-list-indices.ts';
import { createUsageHistory } from './0011-usage-history.ts';
import { createNotes } from './0012-notes.ts';
import { createDeliverySearch } from './0013-delivery-search.ts';
import { createTestEvents } from './0014-test-events.ts';
import { createImportedRefs } from './0015-moving-in.ts';
import { addTraceContext } from './0016-trace-context.ts';
import { letUnroutedBeCancelled } from './0017-cancelled-unrouted.ts';
import type { Db } from './migration.ts';

/** `schema` is where the tables live, if the engine knows schemas. */
export function migrate(db: Db, engine: Engine, schema?: string): Promise<void> {
  return runMigrations(db, migrationsFor(engine), schema);
}

export async function runMigrations(
  db: Db,
  migrations: Record<string, Migration>,
  schema?: string,
): Promise<void> {
  const migrator = new Migrator({
    db,
    // Without it, Kysely would take tables of the same name in other schemas for ours.
    migrationTableSchema: schema,
    provider: { getMigrations: async () => migrations },
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw new ConfigError(
      `The database was used by a newer Bellhop, which this one would damage: ${error.message}.`,
    );
  }
  if (error) throw error;
}

/** The name of the last one: a database without it was used by an older Bellhop. */
export function latestMigration(): string {
  return Object.keys(migrationsFor('sqlite')).at(-1) as string;
}

function migrationsFor(engine: Engine): Record<string, Migration> {
  return {
    '0001-partner-api': { up: (db: Db) => createPartnerApi(db, engine) },
    '0002-order-webhooks': { up: (db: Db) => createOrderWebhooks(db, engine) },
    '0003-console': { up: createConsoleTables },
    '0004-restated-admissions': { up: (db: Db) => addRestatedAdmissions(db, engine) },
    '0005-attempt-facts': { up: addAttemptFacts },
    '0006-delivery-rules': { up: (db: Db) => changeDeliveryRules(db, engine) },
    '0007-admission-windows': { up: (db: Db) => addAdmissionWindows(db, engine) },
    '0008-queue': { up: (db: Db) => createQueue(db, engine) },
    '0009-key-rules': { up: (db: Db) => createKeyRules(db, engine) },
    '0010-list-indices': { up: createListIndices },
    '0011-usage-history': { up: (db: Db) => createUsageHistory(db, engine) },
    '0012-notes': { up: createNotes },
    '0013-delivery-search': { up: (db: Db) => createDeliverySearch(db, engine) },
    '0014-test-events': { up: createTestEvents },
    '0015-moving-in': { up: createImportedRefs },
    '0016-trace-context': { up: (db: Db) => addTraceContext(db, engine) },
    '0017-cancelled-unrouted': { up: (db: Db) => letUnroutedBeCancelled(db, engine) },
  };
}
