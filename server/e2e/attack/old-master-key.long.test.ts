/**
 * Attack: an old master key leaked, and was rotated for that reason. With everything that is on the disk afterwards, or
 * in a backup made afterwards, the old key must not open a single API key: neither in free pages nor in logs.
 */
import { createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithOwnPostgres, temporaryFolder } from '../../../test/support.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLogger } from '../../src/base/logging/logger.ts';
import { toPreviousKeyColumns } from '../../src/base/sealing/previous-keys.ts';
import { Vault } from '../../src/base/sealing/vault.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { repository } from '../../testing/shell-in-markdown.ts';
import { runCommand } from '../cli-command.ts';

// These tests start whole processes, which is slow on a busy machine.
const KEYS = 1_000;
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const oldVault = new Vault(oldKey, 'production');
const log = createLogger('silent', () => {});
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Of an API key that is sealed: 12 bytes of nonce, 16 of tag, 36 of the key itself, in base64. */
const SEALED_CHARACTERS = 86;
const SEALED = new RegExp(`[A-Za-z0-9+/]{${SEALED_CHARACTERS},}`, 'g');

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** The API keys that the master key opens, wherever they begin in the files. */
function openedWith(masterKey: Buffer, files: string[]): Set<string> {
  const sealing = Buffer.from(hkdfSync('sha256', masterKey, 'bellhop', 'seal production', 32));
  const found = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'latin1');
    for (const [run] of text.matchAll(SEALED)) {
      for (let at = 0; at + SEALED_CHARACTERS <= run.length; at++) {
        const bytes = Buffer.from(run.slice(at, at + SEALED_CHARACTERS), 'base64');
        // An attacker does not need the tag.
        const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, 12));
        const apiKey = decipher.update(bytes.subarray(28)).toString('latin1');
        if (UUID.test(apiKey)) found.add(apiKey);
      }
    }
  }
  return found;
}

/** Keys that were created and changed, so that there are copies of them in free space. */
async function use({ db }: Store): Promise<Set<string>> {
  const partner = { id: 'par_1', name: 'Partner', integration_started_on: '2025-11-01', is_new: 1 };
  const rest = { suspended: 0, certified_at: null, certification_reference: null };
  await db
    .insertInto('partner')
    .values({ ...partner, ...rest, midoffice_id: null, created_at: 0 })
    .execute();
  await db.insertInto('grant_set').values({ id: 'set', grants: '[]' }).execute();
  const apiKeys = Array.from({ length: KEYS }, () => randomUUID());
  const rows = apiKeys.map((apiKey, created_at) => {
    const key_id = String(randomBytes(6).readUIntBE(0, 6));
    const key = { key_id, partner_id: 'par_1', label: null, allowed_ips: null, disabled: 0 };
    return {
      ...{ ...key, ...toPreviousKeyColumns([]), grant_set: 'set', created_at },
      ...{ expires_at: null, revoked_at: null },
      sealed_key: oldVault.seal(key_id, apiKey),
      digest: oldVault.digest(key_id, apiKey),
    };
  });
  await db.insertInto('api_key').values(rows).execute();
  const label = sql`substr(${'x'.repeat(60)}, 1, cast(created_at % 60 as integer))`;
  await sql`update api_key set label = ${label} where created_at % 3 = 0`.execute(db);
  return new Set(apiKeys);
}

/** As they are after the second round. */
const SETTINGS = {
  BELLHOP_ENVIRONMENTS: 'production',
  BELLHOP_MASTER_KEY: newKey.toString('base64'),
  BELLHOP_PREVIOUS_MASTER_KEYS: oldKey.toString('base64'),
};

test('the files and a backup of an embedded database, beside a running server', async () => {
  const folder = await temporaryFolder();
  const [data, backups] = [join(folder, 'data'), join(folder, 'backups')];
  const parts = { environment: 'production', clock: systemClock } as const;
  const open = (vault: Vault) =>
    openSqliteStore({ folder: join(data, 'production'), vault, ...parts });
  const before = await open(oldVault);
  const live = await use(before);
  await before.close();
  expect(openedWith(oldKey, filesIn(data))).toEqual(live);

  const running = await open(new Vault(newKey, 'production', [oldKey]));
  onTestFinished(() => running.close());
  const settings = { ...SETTINGS, BELLHOP_DATA_DIR: data };
  expect(await runCommand(['reseal'], settings)).toMatchObject({ code: 0 });
  expect(await runCommand(['backup', backups], settings)).toMatchObject({ code: 0 });
  for (const place of [data, backups]) {
    expect(openedWith(oldKey, filesIn(place)).size).toBe(0);
    // The control: the same search with the key that opens them.
    expect(openedWith(newKey, filesIn(place))).toEqual(live);
  }
});

describeWithOwnPostgres('PostgreSQL', (start) => {
  test('the files of its tables, and of its log after the documented statements', async () => {
    const { url, pid } = await start();
    const parts = { url, environment: 'production', clock: systemClock, log } as const;
    const before = await openPostgresStore({ ...parts, vault: oldVault });
    const live = await use(before);
    await before.close();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(() => admin.end());
    const { rows } = await admin.query('show data_directory');
    const all = () => filesIn(rows[0].data_directory);
    const tables = () => all().filter((file) => !file.includes('/pg_wal/'));
    await admin.query('checkpoint');
    expect(openedWith(oldKey, tables())).toEqual(live);

    const settings = { ...SETTINGS, BELLHOP_PRODUCTION_DATABASE_URL: url };
    expect(await runCommand(['reseal'], settings)).toMatchObject({ code: 0 });
    await admin.query('checkpoint');
    expect(openedWith(oldKey, tables()).size).toBe(0);
    expect(openedWith(newKey, tables())).toEqual(live);

    // What the documentation says of the log, and then what helps.
    expect(openedWith(oldKey, all()).size).toBeGreaterThan(0);
    // A busy PostgreSQL takes a changed setting over late. This one never does.
    const signal = (name: NodeJS.Signals) => process.kill(pid ?? expect.fail('ended'), name);
    onTestFinished(() => void signal('SIGCONT'));
    signal('SIGSTOP');
    for (const statement of documentedStatements()) await admin.query(statement);
    expect(openedWith(oldKey, all()).size).toBe(0);
  });
});

function documentedStatements(): string[] {
  const page = readFileSync(join(repository, 'docs/operating/rotating-the-master-key.md'), 'utf8');
  const [, block = ''] = /^ *```sql\n(.*?)^ *```$/ms.exec(page) ?? [];
  return block.split(';').filter((statement) => statement.trim() !== '');
}
