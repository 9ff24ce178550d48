/**
 * A database with all tables, made once per run. Tests copy it: that is faster than to run all migrations
 * for each of some hundred databases.
 */

import { randomBytes } from 'node:crypto';
import { databaseUrl, query } from '../../kit/postgres.ts';
import { createLogger } from '../../server/src/base/logging/logger.ts';
import { migratePostgres } from '../../server/src/store/postgres/migrating.ts';
import { environmentTables } from '../../server/src/store/table-sets.ts';

export interface PostgresTemplate {
  /** What follows `template` when a database is created from it. */
  source: string;
  drop(): Promise<unknown>;
}

export async function createTemplate(serverUrl: string): Promise<PostgresTemplate> {
  const name = `bellhop_template_${randomBytes(8).toString('hex')}`;
  const url = databaseUrl(serverUrl, name);
  await query(serverUrl, `create database ${name} template template0`);
  const log = createLogger('silent', () => {});
  await migratePostgres({ url, environment: 'production', log }, environmentTables);
  // To copy its files takes half of the processor time of writing them to the log, as PostgreSQL 15 and newer do.
  const [{ hasChoice }] = await query(
    serverUrl,
    `select current_setting('server_version_num')::int >= 150000 as "hasChoice"`,
  );
  const source = hasChoice ? `${name} strategy file_copy` : name;
  return { source, drop: () => query(serverUrl, `drop database ${name} with (force)`) };
}
