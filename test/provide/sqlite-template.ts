/** Embedded databases with all tables, made once per run. Tests copy them, as they do with PostgreSQL. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateEmbedded } from '../../server/src/store/migrations/migrate.ts';
import { connect, kyselyOn } from '../../server/src/store/sqlite/connection.ts';
import { privateFile } from '../../server/src/store/sqlite/folder.ts';
import { backOfficeTables, environmentTables } from '../../server/src/store/table-sets.ts';

export interface SqliteTemplate {
  /** Holds `bellhop.db` and `back-office.db`. No environment has claimed them yet. */
  folder: string;
  drop(): Promise<void>;
}

export async function createSqliteTemplate(): Promise<SqliteTemplate> {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-template-'));
  const files = { 'bellhop.db': environmentTables, 'back-office.db': backOfficeTables };
  for (const [name, tables] of Object.entries(files)) {
    const connection = connect(privateFile(join(folder, name)));
    await migrateEmbedded(kyselyOn(connection), tables);
    connection.close();
  }
  return { folder, drop: () => rm(folder, { recursive: true, force: true }) };
}
