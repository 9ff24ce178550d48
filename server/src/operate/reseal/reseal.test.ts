import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../../../test/support.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError, readConfig } from '../../base/config/config.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { previousKeysOf, toPreviousKeyColumns } from '../../base/sealing/previous-keys.ts';
import { fingerprintOf } from '../../base/sealing/sealed-key.ts';
import { Vault } from '../../base/sealing/vault.ts';
import { openHeaders } from '../../delivery/webhook-headers.ts';
import { openPair, sealPair } from '../../receiver/client-certificate.ts';
import { headersColumn } from '../../resources/midoffices/headers.ts';
import { midoffice } from '../../resources/midoffices/midoffice.ts';
import { newRow } from '../../resources/record.ts';
import type { DirectDatabase } from '../../store/direct/database.ts';
import { openDirectly } from '../../store/open.ts';
import { openPostgresStore } from '../../store/postgres/open.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { checkNeeds } from './needs.ts';
import { overwriteOldCopies } from './overwrite.ts';
import { type ResealParts, reseal } from './reseal.ts';
import { sealedIn } from './sealed-rows.ts';

const KEYS = 450;
/** A row for each key, and those of a midoffice with headers and a private key. */
const ROWS = KEYS + 2;
const HEADERS = { 'X-A': 'one', 'X-B': 'two' };
const PAIR = { certificate: 'a certificate', private_key: 'a private key' };
const log = createLogger('silent', () => {});
const clock = new ManualClock();
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const oldVault = new Vault(oldKey, 'production');
const newVault = new Vault(newKey, 'production');
const both = new Vault(newKey, 'production', [oldKey]);
/** Before the new key becomes current, every node has it as an earlier one. */
const oldOfBoth = new Vault(oldKey, 'production', [newKey]);

interface Rig {
  settings: Record<string, string>;
  open(vault: Vault): Promise<Store>;
}

async function embeddedRig(): Promise<Rig> {
  const dataDir = await temporaryFolder();
  const folder = join(dataDir, 'production');
  return {
    settings: { BELLHOP_DATA_DIR: dataDir },
    open: (vault) => openSqliteStore({ folder, environment: 'production', vault, clock }),
  };
}

describe('embedded', () => {
  suite(embeddedRig);

  test('a large database is rewritten only without a running server, even if that may pause', async () => {
    const rig = await embeddedRig();
    const first = await opened(rig, oldVault);
    await sql`create table filler as select zeroblob(33 * 1048576)`.execute(first.db);
    await fill(first);
    await first.close();
    const running = await opened(rig, both);
    for (const mayPause of [false, true]) {
      await expect(run(rig, { mayPause })).rejects.toThrow(
        /every value is sealed again, but copies .* writing \d+ MiB, .* stop Bellhop and run "bellhop reseal" again\.$/,
      );
    }
    const [, old] = await needsOf(rig);
    expect(old).toMatchObject({ values: 0, is_current: false, is_needed: true });
    await running.close();
    await run(rig);
    await (await opened(rig, newVault)).close();
  });
});
describeWithPostgres('on PostgreSQL', (_empty, databaseWithTables) => {
  const postgresRig = async (): Promise<Rig> => {
    const url = await databaseWithTables();
    return {
      settings: {
        BELLHOP_PRODUCTION_DATABASE_URL: url,
        BELLHOP_MASTER_KEY: newKey.toString('base64'),
      },
      open: (vault) => openPostgresStore({ url, environment: 'production', vault, clock, log }),
    };
  };
  suite(postgresRig);

  test('a large table of keys is rewritten beside running nodes only if they may pause', async () => {
    const rig = await postgresRig();
    await opened(rig, newVault);
    await directly(rig, async (database) => {
      const large = { ...database, bytesToRewrite: async () => 33 * 1_048_576 };
      await expect(overwriteOldCopies(large, { mayPause: false })).rejects.toThrow(
        /stop Bellhop and run "bellhop reseal" again, or pass --pause\.$/,
      );
      await overwriteOldCopies(large, { mayPause: true });
    });
  });
});

/** A key for each number; every third is in the middle of two rotations, every fifth without a key id. */
async function fill({ db }: Store): Promise<Map<string, string[]>> {
  const apiKeys = new Map<string, string[]>();
  await db
    .insertInto('partner')
    .values({
      ...{ id: 'par_1', name: 'Partner', integration_started_on: '2025-11-01', is_new: 1 },
      ...{ suspended: 0, certified_at: null, certification_reference: null },
      ...{ midoffice_id: null, created_at: 0 },
    })
    .execute();
  await db.insertInto('grant_set').values({ id: 'set', grants: '[]' }).execute();
  const rows = Array.from({ length: KEYS }, (_, n) => {
    const keyId = String(n + 1);
    const values = Array.from({ length: n % 3 === 0 ? 3 : 1 }, () => randomUUID());
    apiKeys.set(keyId, values);
    const [current, ...previous] = values.map((apiKey) => {
      const sealed = oldVault.seal(keyId, apiKey);
      return {
        sealed,
        digest: oldVault.digest(keyId, apiKey),
        untilMs: clock.now() + 1_000,
      };
    });
    return {
      ...{ key_id: keyId, partner_id: 'par_1', label: null, allowed_ips: null, disabled: 0 },
      sealed_key: current?.sealed ?? '',
      digest: current?.digest ?? '',
      ...toPreviousKeyColumns(previous),
      ...{ expires_at: null, revoked_at: null, grant_set: 'set', created_at: 0 },
    };
  });
  await db.insertInto('api_key').values(rows).execute();
  await db
    .insertInto('midoffice')
    .values({
      ...newRow(midoffice, { id: 'mid_1', created_at: 0, name: 'x', url: '', signing_key_id: '1' }),
      headers: headersColumn(oldVault, 'mid_1', HEADERS, null),
      client_certificate: sealPair(oldVault, 'mid_1', PAIR),
    })
    .execute();
  return apiKeys;
}

async function rowsOf({ db }: Store) {
  return db.selectFrom('api_key').selectAll().orderBy('key_id').execute();
}

/** Opens the store, and closes it after the test at the latest. */
async function opened(rig: Rig, vault: Vault): Promise<Store> {
  const store = await rig.open(vault);
  let close: (() => Promise<void>) | undefined = store.close;
  store.close = async () => {
    await close?.();
    close = undefined;
  };
  onTestFinished(() => store.close());
  return store;
}

async function directly<T>(rig: Rig, work: (database: DirectDatabase) => Promise<T>): Promise<T> {
  const database = await openDirectly(readConfig(rig.settings), 'production', log);
  if (!database) throw new Error('no database');
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const needsOf = (rig: Rig) => directly(rig, (database) => checkNeeds(database, both));

function run(rig: Rig, options: Partial<ResealParts> = {}): Promise<number> {
  const parts = { environment: 'production', vault: both, clock: systemClock } as const;
  return directly(rig, (database) =>
    reseal({ database, ...parts, mayPause: false, onProgress() {}, ...options }),
  );
}

function suite(newRig: () => Promise<Rig>): void {
  test('moves every value to the current key beside a running server, and keeps fingerprints', async () => {
    const rig = await newRig();
    const first = await opened(rig, oldVault);
    const apiKeys = await fill(first);
    const before = await rowsOf(first);
    await first.close();

    const running = await opened(rig, both);
    expect(await run(rig)).toBe(ROWS);
    const { headers, client_certificate } = await running.db
      .selectFrom('midoffice')
      .select(['headers', 'client_certificate'])
      .executeTakeFirstOrThrow();
    expect(openHeaders(newVault, 'mid_1', headers)).toEqual(HEADERS);
    expect(openPair(newVault, 'mid_1', client_certificate ?? '')).toEqual(PAIR);
    const after = await rowsOf(running);
    expect(after.map(({ key_id }) => key_id)).toEqual(before.map(({ key_id }) => key_id));
    for (const [index, row] of after.entries()) {
      const values = apiKeys.get(row.key_id) ?? [];
      const old = before[index] as (typeof before)[number];
      expect(sealedIn(row).map(({ sealed }) => newVault.open(row.key_id, sealed))).toEqual(values);
      expect(sealedIn(row).map(({ digest }) => digest)).toEqual(
        values.map((apiKey) => newVault.digest(row.key_id, apiKey)),
      );
      expect(sealedIn(row).map(({ sealed, digest }) => fingerprintOf(sealed, digest))).toEqual(
        sealedIn(old).map(({ sealed, digest }) => fingerprintOf(sealed, digest)),
      );
      expect(previousKeysOf(row).map(({ untilMs }) => untilMs)).toEqual(
        previousKeysOf(old).map(({ untilMs }) => untilMs),
      );
    }
    const audited = await running.db
      .selectFrom('audit')
      .select(['actor', 'action', 'subject'])
      .execute();
    expect(audited).toEqual([
      { actor: 'command line', action: 'master_key.reseal', subject: 'production' },
    ]);
    expect(await run(rig)).toBe(0);
    await running.close();

    await expect(rig.open(oldVault)).rejects.toThrow(/another BELLHOP_MASTER_KEY/);
    await opened(rig, newVault);
  });

  test('continues after it was interrupted; until it ends, both keys are needed', async () => {
    const rig = await newRig();
    const first = await opened(rig, oldVault);
    await fill(first);
    await first.close();
    await expect(
      run(rig, {
        onProgress() {
          throw new Error('killed');
        },
      }),
    ).rejects.toThrow('killed');

    const needs = await needsOf(rig);
    expect(needs).toMatchObject([
      { master_key: both.currentKeyId, is_current: true, is_needed: true },
      { master_key: oldVault.currentKeyId, is_current: false, is_needed: true },
    ]);
    expect(needs[0]?.values).toBeGreaterThan(0);
    expect(needs[1]?.values).toBeGreaterThan(0);
    const still = /^The database .* still needs the master key [0-9a-f]{8}, which is not given; /;
    await expect(rig.open(newVault)).rejects.toThrow(still);
    await expect(rig.open(oldVault)).rejects.toThrow(still);
    await expect(rig.open(newVault)).rejects.toBeInstanceOf(ConfigError);

    const rest = await run(rig);
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(ROWS);
    await opened(rig, newVault);
  });

  test('a key that is rotated meanwhile keeps its new value', async () => {
    const rig = await newRig();
    const first = await opened(rig, oldVault);
    await fill(first);
    await first.close();
    const running = await opened(rig, both);
    const apiKey = randomUUID();
    let rotated: Promise<unknown> | undefined;
    const onProgress = (done: number) => {
      // The last of all keys, which has not been read yet.
      if (done >= KEYS) return;
      rotated ??= running.db
        .updateTable('api_key')
        .set({ sealed_key: both.seal('99', apiKey), digest: both.digest('99', apiKey) })
        .where('key_id', '=', '99')
        .execute();
    };
    await run(rig, { onProgress });
    await rotated;
    const row = (await rowsOf(running)).find(({ key_id }) => key_id === '99');
    expect(newVault.open('99', row?.sealed_key ?? '')).toBe(apiKey);
    expect(row?.digest).toBe(newVault.digest('99', apiKey));
  });

  test('is refused while a running server seals with another key, or lacks the new one', async () => {
    const rig = await newRig();
    const knowsBoth = await opened(rig, oldOfBoth);
    await fill(knowsBoth);
    await expect(run(rig)).rejects.toThrow(
      `A running Bellhop still seals new keys with the master key ${oldVault.currentKeyId}; make ${both.currentKeyId} the BELLHOP_MASTER_KEY of every node`,
    );
    await knowsBoth.close();
    await opened(rig, oldVault);
    await expect(run(rig)).rejects.toThrow(
      `A running Bellhop does not have the master key ${both.currentKeyId} yet. If the key is in the file master.key, restart Bellhop`,
    );
    // Nothing has changed.
    expect((await needsOf(rig))[0]).toMatchObject({ values: 0, is_needed: false });
  });
}
