/**
 * A database with all tables, made once per run. Tests copy it: that is faster than to run all migrations
 * for each of some hundred databases.
 */

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createLogger } from '../../server/src/base/logging/logger.ts';
import { migratePostgres } from '../../server/src/store/postgres/migrating.ts';
import { environmentTables } from '../../server/src/store/table-sets.ts';

export interface PostgresTemplate {
  name: string;
  drop(): Promise<void>;
}

export async function createTemplate(serverUrl: string): Promise<PostgresTemplate> {
  const name = `bellhop_template_${randomBytes(8).toString('hex')}`;
  const url = databaseUrl(serverUrl, name);
  await runSql(serverUrl, `create database ${name} template template0`);
  const log = createLogger('silent', () => {});
  await migratePostgres({ url, environment: 'production', log }, environmentTables);
  return { name, drop: () => runSql(serverUrl, `drop database ${name} with (force)`) };
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
