/** Embedded databases with all tables, made once per run. Tests copy them, as they do with PostgreSQL. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateBackOffice } from '../../server/src/store/back-office/migrations.ts';
import type { BackOfficeSchema } from '../../server/src/store/back-office/schema.ts';
import { migrate } from '../../server/src/store/migrations/migrate.ts';
import { connect, kyselyOn } from '../../server/src/store/sqlite/connection.ts';
import { privateFile } from '../../server/src/store/sqlite/folder.ts';
import { StorageHealth } from '../../server/src/store/storage-health.ts';

export interface SqliteTemplate {
  /** Holds `bellhop.db` and `back-office.db`. No environment has claimed them yet. */
  folder: string;
  drop(): Promise<void>;
}

export async function createSqliteTemplate(): Promise<SqliteTemplate> {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-template-'));
  const health = new StorageHealth(async () => {});
  const environment = connect(privateFile(join(folder, 'bellhop.db')));
  await migrate(kyselyOn(environment, health), 'sqlite');
  environment.close();
  const backOffice = connect(privateFile(join(folder, 'back-office.db')));
  await migrateBackOffice(kyselyOn<BackOfficeSchema>(backOffice, health), 'sqlite');
  backOffice.close();
  return { folder, drop: () => rm(folder, { recursive: true, force: true }) };
}
