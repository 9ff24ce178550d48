/**
 * The tables of a made-up next release, and a process that migrates an embedded database to it and can crash on
 * the way: `next-release.ts <file> [statement]` kills itself before the first statement that begins with that text.
 */
import { DatabaseSync } from 'node:sqlite';
import { migrateEmbedded } from '../src/store/migrations/migrate.ts';
import { run } from '../src/store/migrations/migration.ts';
import { connect, kyselyOn } from '../src/store/sqlite/connection.ts';
import { environmentTables, type TableSet } from '../src/store/table-sets.ts';

export const nextRelease: TableSet = {
  ...environmentTables,
  migrations: {
    ...environmentTables.migrations,
    // After all that this release has, however many those are.
    '9000-next-release': (db) =>
      run(db, [
        'create table next (seq bigint primary key, event_id text not null)',
        'insert into next select seq, event_id from delivery',
        'drop table note',
        'alter table partner add column next text',
        'update partner set next = name',
        'create index partner_next on partner (next)',
      ]),
  },
};

export async function migrateFile(file: string, tables = nextRelease): Promise<void> {
  const connection = connect(file);
  try {
    await migrateEmbedded(kyselyOn(connection), tables);
  } finally {
    connection.close();
  }
}

function dieBefore(statement: string): void {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql) {
    const isIt = sql.replaceAll('"', '').startsWith(statement);
    if (isIt) process.kill(process.pid, 'SIGKILL');
    return prepare.call(this, sql);
  };
}

if (import.meta.main) {
  const [file, statement] = process.argv.slice(2);
  if (statement !== undefined) dieBefore(statement);
  await migrateFile(file as string);
}
