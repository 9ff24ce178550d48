/** The back office's store as a file of its own in the data folder. */
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import { closeAll } from '../../disposal.ts';
import { auditedChange } from '../change.ts';
import { migrate } from '../migrations/migrate.ts';
import { connect, kyselyOn } from '../sqlite/connection.ts';
import { refuseIfDamaged, startDamageCheck } from '../sqlite/damage-check.ts';
import { privateFile } from '../sqlite/folder.ts';
import { FolderWatch } from '../sqlite/folder-watch.ts';
import { BEFORE_A_START } from '../sqlite/open.ts';
import { PROBE_BYTES } from '../storage-health.ts';
import { StorageError, storageTroubleOf } from '../storage-trouble.ts';
import type { Store } from '../store.ts';
import { backOfficeTables } from '../table-sets.ts';
import type { BackOfficeSchema } from './schema.ts';
import type { BackOfficeStore } from './store.ts';

export interface SqliteBackOfficeOptions {
  dataDir: string;
  /** The environment whose store it is opened beside. */
  homeName: EnvironmentName;
  home: Store;
  clock: Clock;
  /** Another thread of this process has opened it before. */
  attach: boolean;
  /** The file was deleted, moved or replaced. */
  onGone?: ((error: Error) => void) | undefined;
}

/**
 * A process that serves the sandbox alone has tokens of its own, which must not open production. The
 * lock on the home's folder keeps other processes away from this file as well.
 */
export function backOfficeFile(dataDir: string, homeName: EnvironmentName): string {
  return join(dataDir, homeName === 'production' ? 'back-office.db' : `back-office.${homeName}.db`);
}

export async function openSqliteBackOffice(
  options: SqliteBackOfficeOptions,
): Promise<BackOfficeStore> {
  const file = backOfficeFile(options.dataDir, options.homeName);
  try {
    return await openFile(privateFile(file), options);
  } catch (error) {
    const trouble = storageTroubleOf(error);
    if (!trouble) throw error;
    throw new ConfigError(
      `The database ${file} cannot be opened (${(error as Error).message}); ${BEFORE_A_START[trouble]} and start Bellhop again.`,
    );
  }
}

async function openFile(
  file: string,
  { home, clock, attach, onGone }: SqliteBackOfficeOptions,
): Promise<BackOfficeStore> {
  const connection = connect(file);
  const closing = new AsyncDisposableStack();
  closing.defer(() => connection.close());
  try {
    // One disk, so one place that notes what it refuses: readiness and the log say it once.
    const db = kyselyOn<BackOfficeSchema>(connection, home.health);
    if (!attach) {
      refuseIfDamaged(file);
      await migrate(db, backOfficeTables, `The database ${file}`);
    }
    const watch = await FolderWatch.start([file, `${file}-wal`], (error) => {
      home.health.note(error);
      onGone?.(error);
    });
    const damageCheck = attach ? undefined : startDamageCheck([file], { health: home.health });
    closing.defer(() => damageCheck?.stop());
    closing.defer(home.health.addProbe(() => probe(db)));
    closing.defer(() => watch.stop());
    return {
      engine: 'sqlite',
      db,
      async change(actor, work) {
        const result = await auditedChange(db, clock, actor, work);
        // A file that was deleted still accepts commits.
        await watch.check().catch((error) => {
          if (error instanceof StorageError) throw error;
        });
        return result;
      },
      close: () => closeAll(closing),
    };
  } catch (error) {
    await closeAll(closing).catch(() => {});
    throw error;
  }
}

/** For `StorageHealth`: rejects if nothing can be written. */
async function probe(db: Kysely<BackOfficeSchema>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`create table probe (bytes blob)`.execute(transaction);
    await sql`insert into probe values (zeroblob(${sql.lit(PROBE_BYTES)}))`.execute(transaction);
    await sql`drop table probe`.execute(transaction);
  });
}
