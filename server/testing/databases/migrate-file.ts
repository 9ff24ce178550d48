/**
 * Migrates an embedded database in a separate process, which can crash on the way:
 * `migrate-file.ts <file> [statement]` kills itself before the first statement that begins with that text.
 */
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { connect, kyselyOn } from '../../src/store/sqlite/connection.ts';
import { StorageHealth } from '../../src/store/storage-health.ts';

export async function migrateFile(file: string): Promise<void> {
  const connection = connect(file);
  try {
    await migrate(kyselyOn(connection, new StorageHealth(async () => {})), 'sqlite');
  } finally {
    connection.close();
  }
}

function dieBefore(statement: string): void {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql) {
    const isIt = sql.trimStart().replaceAll('"', '').startsWith(statement);
    if (isIt) process.kill(process.pid, 'SIGKILL');
    return prepare.call(this, sql);
  };
}

if (import.meta.main) {
  const [file, statement] = process.argv.slice(2);
  if (statement !== undefined) dieBefore(statement);
  await migrateFile(file as string);
}
