/** The back office's store as a file of its own in the data folder. */
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { closeAll } from '../../base/disposal.ts';
import { auditedChange } from '../change.ts';
import { openFile, opening, watchFiles } from '../sqlite/database-file.ts';
import { readingFor } from '../sqlite/reading.ts';
import { PROBE_BYTES } from '../storage-health.ts';
import type { Store } from '../store.ts';
import { backOfficeTables } from '../table-sets.ts';
import type { BackOfficeSchema } from './schema.ts';
import { sessionDeletion } from './sessions.ts';
import type { BackOfficeStore } from './store.ts';

/**
 * A process that serves the sandbox alone has tokens of its own, which must not open production. The
 * lock on the home's folder keeps other processes away from this file as well.
 */
export function backOfficeFile(dataDir: string, homeName: EnvironmentName): string {
  return join(dataDir, homeName === 'production' ? 'back-office.db' : `back-office.${homeName}.db`);
}

export function openSqliteBackOffice(options: {
  dataDir: string;
  /** The environment whose store it is opened beside. */
  homeName: EnvironmentName;
  home: Pick<Store, 'health' | 'readers'>;
  clock: Clock;
  /** Another thread of this process has opened it before. */
  attach?: boolean | undefined;
  /** The file was deleted, moved or replaced. */
  onGone?: ((error: Error) => void) | undefined;
}): Promise<BackOfficeStore> {
  const { dataDir, homeName, clock, attach = false, onGone } = options;
  // One disk, so one place that notes what it refuses: readiness and the log say it once.
  const { health, readers } = options.home;
  const file = backOfficeFile(dataDir, homeName);
  const where = `The database ${file}`;
  return opening(where, async (closing) => {
    const parts = { where, tables: backOfficeTables, health, attach };
    const { db } = await openFile<BackOfficeSchema>(file, parts, closing);
    const watch = await watchFiles({ databases: [file] }, { health, attach, onGone }, closing);
    closing.defer(health.addProbe(() => probe(db)));
    return {
      engine: 'sqlite',
      db,
      dbFor: (caller) =>
        readers ? readingFor(caller, { writing: db, file, readers, health }) : db,
      signIns: db,
      change: (actor, work) => watch.confirm(auditedChange(db, clock, actor, work)),
      async endSession(digest) {
        await sessionDeletion(db, { digest }).execute();
      },
      close: () => closeAll(closing),
    };
  });
}

/** For `StorageHealth`: rejects if nothing can be written. */
async function probe(db: Kysely<BackOfficeSchema>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`create table probe (bytes blob)`.execute(transaction);
    await sql`insert into probe values (zeroblob(${sql.lit(PROBE_BYTES)}))`.execute(transaction);
    await sql`drop table probe`.execute(transaction);
  });
}
