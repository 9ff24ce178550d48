/** The back office's store as a schema of its own in the home's database. */
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { auditedChange } from '../change.ts';
import { SCHEMA } from '../postgres/connection.ts';
import { migratePostgres, ONE_AT_A_TIME } from '../postgres/migrating.ts';
import type { Schema } from '../schema.ts';
import type { Store } from '../store.ts';
import { carryOver } from './carry-over.ts';
import { migrateBackOffice } from './migrations.ts';
import type { BackOfficeSchema } from './schema.ts';
import type { BackOfficeStore } from './store.ts';

export const BACK_OFFICE_SCHEMA = 'bellhop_back_office';

export async function openPostgresBackOffice(options: {
  url: string;
  home: Store;
  clock: Clock;
  log: Log;
  /** Another thread of this process has opened it before. */
  attach: boolean;
}): Promise<BackOfficeStore> {
  const { url, home, clock, log, attach } = options;
  const db = within(home.db);
  if (!attach) {
    await migratePostgres(url, log, (connection) =>
      migrateBackOffice(connection, 'postgres', BACK_OFFICE_SCHEMA),
    );
    await moveFromHome(home.db);
  }
  return {
    engine: 'postgres',
    db,
    change: (actor, work) => auditedChange(db, clock, actor, work),
    async close() {
      // The connections are the home's.
    },
  };
}

function within(db: Kysely<Schema>): Kysely<BackOfficeSchema> {
  return db.withSchema(BACK_OFFICE_SCHEMA) as unknown as Kysely<BackOfficeSchema>;
}

/** One transaction. Nodes that start at the same time take turns, and the later ones find nothing to do. */
async function moveFromHome(home: Kysely<Schema>): Promise<void> {
  await home.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${ONE_AT_A_TIME})`.execute(transaction);
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
       where table_schema = ${SCHEMA} and table_name in ('token', 'session')`.execute(transaction);
    const existing = new Set(rows.map(({ name }) => name));
    await carryOver(transaction, { db: within(transaction), existing });
  });
}
