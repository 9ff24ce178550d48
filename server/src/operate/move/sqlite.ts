import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { ConfigError } from '../../base/config/config.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { checked } from '../../base/disposal.ts';
import { makeFolder, refuseHalfRestored, syncToDisk, syncTreeToDisk } from '../../base/folders.ts';
import { inPages } from '../../base/pages.ts';
import { backOfficeFile } from '../../store/back-office/sqlite.ts';
import { refuseOtherRelease } from '../../store/direct/database.ts';
import { migrateEmbedded } from '../../store/migrations/migrate.ts';
import { readMarks } from '../../store/move-marks.ts';
import { sqliteAdmissions } from '../../store/sqlite/admissions.ts';
import { connect, kyselyOn } from '../../store/sqlite/connection.ts';
import { holdFolder, privateFile, tryToHold } from '../../store/sqlite/folder.ts';
import { hasDatabase } from '../../store/sqlite/known-identity.ts';
import { backOfficeTables, environmentTables } from '../../store/table-sets.ts';
import { emptyDraft, removeDatabase } from './claim-folder.ts';
import { DRAFT } from './draft.ts';
import { isMoved, type MoveEnd, ROWS_PER_BATCH, type Row, type Tables } from './move-end.ts';

const DATABASE = 'bellhop.db';

/** No server runs on it, and none can start until it is closed. */
export async function openSqliteEnd(dataDir: string, name: EnvironmentName): Promise<MoveEnd> {
  const folder = join(dataDir, name);
  refuseHalfRestored(dataDir);
  if (!hasDatabase(folder)) {
    throw new ConfigError(`There is no database of ${name} in ${dataDir}; check the folder.`);
  }
  return checked(openMoveEnd(folder, backOfficeFile(dataDir, name)), ({ db, where }) =>
    refuseOtherRelease(db, where),
  );
}

/**
 * Its files have temporary names until `publishSqliteTarget`. `from` is the source. What an interrupted move from
 * the same source left is deleted, in an order in which a server refuses the folder at every moment.
 */
export async function createSqliteTarget(
  dataDir: string,
  name: EnvironmentName,
  from: string,
): Promise<MoveEnd> {
  const folder = join(dataDir, name);
  const draft = folder + DRAFT;
  const backOffice = backOfficeFile(dataDir, name);
  if (await isAbandoned(folder, from)) {
    removeDatabase(backOffice);
    rmSync(draft, { recursive: true, force: true });
    renameSync(folder, draft);
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new ConfigError(`${folder} is not empty; move it away, or choose another folder.`);
  }
  if (existsSync(backOffice)) {
    throw new ConfigError(`${backOffice} exists already; move it away, or choose another folder.`);
  }
  makeFolder(draft, '--to');
  const lock = holdFolder(draft);
  let end: MoveEnd | undefined;
  try {
    emptyDraft(draft);
    removeDatabase(backOffice + DRAFT);
    privateFile(join(draft, DATABASE));
    privateFile(backOffice + DRAFT);
    await createBackOffice(backOffice + DRAFT);
    end = openMoveEnd(draft, backOffice + DRAFT, { lock, isNew: true });
    await migrateEmbedded(end.db, environmentTables);
    return end;
  } catch (error) {
    if (end) await end.close();
    else lock.close();
    throw error;
  }
}

async function createBackOffice(file: string): Promise<void> {
  const connection = connect(file);
  try {
    await migrateEmbedded(kyselyOn(connection), backOfficeTables);
  } finally {
    connection.close();
  }
}

/**
 * After it was closed. The environment comes first: its mark shows that the file of the back office belongs to
 * a move that has not ended. Everything is on the disk before the source is marked.
 */
export function publishSqliteTarget(dataDir: string, name: EnvironmentName): void {
  const [folder, backOffice] = [join(dataDir, name), backOfficeFile(dataDir, name)];
  syncTreeToDisk(folder + DRAFT);
  syncToDisk(backOffice + DRAFT);
  renameSync(folder + DRAFT, folder);
  renameSync(backOffice + DRAFT, backOffice);
  syncToDisk(dataDir);
}

/**
 * Whether it was published by a move from this source that was killed before it marked the source. No server
 * has started on it since, because its own mark is still there.
 */
async function isAbandoned(folder: string, from: string): Promise<boolean> {
  const lock = hasDatabase(folder) ? tryToHold(folder) : undefined;
  if (!lock) return false;
  const connection = connect(join(folder, DATABASE));
  try {
    const { arriving } = await readMarks(kyselyOn(connection));
    return arriving?.from === from && arriving.state !== 'undone';
  } catch {
    return false;
  } finally {
    connection.close();
    lock.close();
  }
}

function openMoveEnd(
  folder: string,
  ofBackOffice: string,
  { lock = holdFolder(folder), isNew = false } = {},
): MoveEnd {
  const connection = connect(join(folder, DATABASE));
  // Synced once at the end, by `settle`.
  if (isNew) connection.exec('pragma foreign_keys = off; pragma synchronous = off');
  const db = kyselyOn(connection);
  const backOffice = existsSync(ofBackOffice) ? connect(ofBackOffice) : undefined;
  const journal = sqliteAdmissions(privateFile(join(folder, 'admissions.db')));
  const close = async () => {
    await journal.close();
    backOffice?.close();
    connection.close();
    lock.close();
  };
  return {
    where: `The database in ${folder}`,
    name: folder,
    db,
    tables: tablesOf(connection),
    backOffice: backOffice && tablesOf(backOffice),
    journal,
    async lastSeq() {
      const row = connection
        .prepare("select seq from sqlite_sequence where name = 'delivery'")
        .get();
      return Number(row?.seq ?? 0);
    },
    async continueAfter(seq) {
      connection.prepare("delete from sqlite_sequence where name = 'delivery'").run();
      connection.prepare("insert into sqlite_sequence values ('delivery', ?)").run(seq);
    },
    // The lock on the folder lasts as long as this process.
    async refuseIfInUse() {},
    async settle() {
      for (const one of [connection, backOffice]) {
        one?.exec('pragma synchronous = full; analyze; pragma wal_checkpoint(truncate)');
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function tablesOf(connection: DatabaseSync): Tables {
  return {
    async shapes() {
      const tables = connection
        .prepare("select name from sqlite_schema where type = 'table'")
        .all()
        .map(({ name }) => String(name))
        .filter(isMoved);
      const columns = connection.prepare('select name from pragma_table_info(?)');
      return new Map(
        tables.map((table) => [table, columns.all(table).map(({ name }) => String(name))]),
      );
    },
    read: (table) =>
      inPages<Row>(ROWS_PER_BATCH, connection.prepare(`select * from "${table}"`).iterate()),
    async write(table, columns, rows) {
      const names = columns.map((column) => `"${column}"`).join(', ');
      const insert = connection.prepare(
        `insert into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`,
      );
      connection.exec('begin immediate');
      for (const row of rows) insert.run(...columns.map((name) => row[name] as SQLInputValue));
      connection.exec('commit');
    },
    async count(table) {
      return Number(connection.prepare(`select count(*) as n from "${table}"`).get()?.n);
    },
  };
}
