/** Keys to call with: one through the support API, or any number directly in the store. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withClient } from '../kit/postgres.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { defaultGrants, type Grant, GrantSet } from '../server/src/base/grants.ts';
import { newId } from '../server/src/base/ids.ts';
import { Vault } from '../server/src/base/sealing/vault.ts';
import { masterKeyIn } from '../server/src/operate/master-key.ts';
import { connect } from '../server/src/store/sqlite/connection.ts';
import { openSqliteStore } from '../server/src/store/sqlite/open.ts';
import { type Bellhop, OVERVIEW_PATH, support } from './bellhop.ts';
import type { Database } from './postgres.ts';

const OFFERED_DATE = '2025-10-01';
export const FIRST_KEY_ID = 1_000_000_000;

/** Creates a key without limits, as support would; returns the file with its Authorization value. */
export async function unlimitedKey(bellhop: Bellhop, folder: string): Promise<string> {
  const key = await newKey(bellhop);
  for (const { endpoint } of defaultGrants().grants) {
    const grant = { endpoint, is_limited: false };
    await support(bellhop, 'PUT', `/keys/${key.key_id}/endpoints`, grant);
  }
  return written(key, join(folder, 'authorizations'));
}

/** The same for a key whose calls of the overview are refused, all but the first. */
export async function refusedKey(bellhop: Bellhop, folder: string): Promise<string> {
  const key = await newKey(bellhop);
  const limit = { requests_number: 1, seconds_number: 86_400 };
  const grant = { endpoint: OVERVIEW_PATH.slice(1), ...limit };
  await support(bellhop, 'PUT', `/keys/${key.key_id}/endpoints`, grant);
  return written(key, join(folder, 'refused'));
}

interface NewKey {
  key_id: string;
  api_key: string;
}

async function written({ key_id, api_key }: NewKey, file: string): Promise<string> {
  await writeFile(file, `${authorization(key_id, api_key)}\n`);
  return file;
}

async function newKey(bellhop: Bellhop): Promise<NewKey> {
  const partner = await support<{ id: string }>(bellhop, 'POST', '/partners', {
    name: 'Bench',
    integration_started_on: OFFERED_DATE,
    is_new: true,
  });
  return support<NewKey>(bellhop, 'POST', `/partners/${partner.id}/keys`, {});
}

/** Writes keys into the sandbox of a Bellhop that is not running; returns their Authorization values. */
export async function storeKeys(
  dataDir: string,
  count: number,
  change: (grant: Grant) => Grant = (grant) => grant,
): Promise<string[]> {
  const folder = join(dataDir, 'sandbox');
  const vault = new Vault(masterKeyIn(dataDir), 'sandbox');
  const clock = systemClock;
  const store = await openSqliteStore({ folder, environment: 'sandbox', vault, clock });
  await store.close();

  const connection = connect(join(folder, 'bellhop.db'));
  connection.exec('begin');
  const insert = connection.prepare(INSERT_KEY);
  const authorizations = await insertKeys(vault, count, change, {
    run: async (text, values) => void connection.prepare(text).run(...values),
    runKey: async (values) => void insert.run(...values),
  });
  connection.exec('commit');
  connection.close();
  return authorizations;
}

/** The same on PostgreSQL; the tables must exist. */
export async function storeKeysPostgres(
  { url, env }: Database,
  count: number,
  change: (grant: Grant) => Grant = (grant) => grant,
): Promise<string[]> {
  const vault = new Vault(Buffer.from(env.BELLHOP_MASTER_KEY as string, 'base64'), 'sandbox');
  return withClient(url, async (client) => {
    await client.query('set search_path to bellhop');
    await client.query('begin');
    const run = async (text: string, values: Value[]) => {
      let n = 0;
      await client.query(
        text.replace(/\?/g, () => `$${++n}`),
        values,
      );
    };
    const runKey = (values: Value[]) => run(INSERT_KEY, values);
    const authorizations = await insertKeys(vault, count, change, { run, runKey });
    await client.query('commit');
    return authorizations;
  });
}

type Value = string | number;

const INSERT_KEY = `insert into api_key (key_id, partner_id, sealed_key, digest, disabled, grant_set, created_at)
                    values (?, ?, ?, ?, 0, ?, ?)`;

async function insertKeys(
  vault: Vault,
  count: number,
  change: (grant: Grant) => Grant,
  into: {
    run(text: string, values: Value[]): Promise<void>;
    runKey(values: Value[]): Promise<void>;
  },
): Promise<string[]> {
  const nowMs = systemClock.now();
  const grants = new GrantSet(defaultGrants().grants.map(change));
  const partnerId = newId('par', nowMs);
  await into.run(
    `insert into partner (id, name, integration_started_on, is_new, suspended, created_at)
     values (?, 'Bench', ?, 1, 0, ?)`,
    [partnerId, OFFERED_DATE, nowMs],
  );
  await into.run('insert into grant_set (id, grants) values (?, ?)', [grants.id, grants.json]);
  const authorizations: string[] = [];
  for (let i = 0; i < count; i++) {
    const keyId = String(FIRST_KEY_ID + i);
    const apiKey = randomUUID();
    const sealed = vault.seal(keyId, apiKey);
    const digest = vault.digest(keyId, apiKey);
    await into.runKey([keyId, partnerId, sealed, digest, grants.id, nowMs]);
    authorizations.push(authorization(keyId, apiKey));
  }
  return authorizations;
}

function authorization(keyId: string, apiKey: string): string {
  return `Basic ${Buffer.from(`${keyId}:${apiKey}`).toString('base64')}`;
}
