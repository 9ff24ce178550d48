/** What every store must do on every engine. */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { ConfigError } from '../../src/base/config/config.ts';
import type { EnvironmentName } from '../../src/base/config/settings.ts';
import { defaultGrants } from '../../src/base/grants.ts';
import { Vault } from '../../src/base/sealing/vault.ts';
import type { ApiKeyRow, PartnerRow } from '../../src/store/schema.ts';
import type { Change, Store } from '../../src/store/store.ts';
import { ManualClock } from '../manual-clock.ts';
import { admissionsConformance } from './admissions.ts';

/** A database in which stores are opened one after another. */
export interface TestDatabase {
  open(options: { environment: EnvironmentName; vault: Vault; clock: Clock }): Promise<Store>;
}

const MASTER_KEY = randomBytes(32);

export const partner: PartnerRow = {
  id: 'par_1',
  name: 'Zoë’s travels 🧳',
  integration_started_on: '2025-11-01',
  is_new: 1,
  suspended: 0,
  certified_at: null,
  certification_reference: null,
  midoffice_id: null,
  created_at: 1_700_000_000_000,
};

export const apiKey: ApiKeyRow = {
  key_id: '1234567890',
  partner_id: partner.id,
  label: null,
  sealed_key: 'sealed',
  digest: 'digest',
  previous_sealed_key: null,
  previous_digest: 'digest before',
  previous_until: 1_800_000_000_000,
  earlier_keys: '[{"digest":"digest before that","sealed":"sealed","untilMs":1700000000000}]',
  allowed_ips: '["127.0.0.1"]',
  disabled: 1,
  expires_at: 1_900_000_000_000,
  revoked_at: null,
  grant_set: defaultGrants().id,
  created_at: 1_700_000_000_001,
  last_used_on: null,
};

/** Inserts the partner and the key above. */
export async function fill(store: Store): Promise<void> {
  await store.change('test', async ({ db, audit }) => {
    await db.insertInto('partner').values(partner).execute();
    const { id, json } = defaultGrants();
    await db.insertInto('grant_set').values({ id, grants: json }).execute();
    await db.insertInto('api_key').values(apiKey).execute();
    await audit('test.fill', partner.id, null, null);
  });
}

export function storeConformance(newDatabase: () => Promise<TestDatabase>): void {
  const clock = new ManualClock();

  async function openOn(
    database: TestDatabase,
    { environment = 'production', masterKey = MASTER_KEY }: Partial<Identity> = {},
  ): Promise<Store> {
    const store = await database.open({
      environment,
      vault: new Vault(masterKey, environment),
      clock,
    });
    let open = true;
    const close = store.close;
    store.close = async () => {
      if (open) await close();
      open = false;
    };
    onTestFinished(() => store.close());
    return store;
  }

  async function freshStore(): Promise<Store> {
    return openOn(await newDatabase());
  }

  test('creates its tables in an empty database, and keeps its rows across a restart', async () => {
    const database = await newDatabase();
    const first = await openOn(database);
    expect(await first.db.selectFrom('partner').selectAll().execute()).toEqual([]);
    await fill(first);
    await first.close();

    const second = await openOn(database);
    expect(await second.db.selectFrom('partner').selectAll().execute()).toEqual([partner]);
    expect(await second.db.selectFrom('api_key').selectAll().execute()).toEqual([apiKey]);
    await second.ping();
  });

  test('permanently belongs to one environment and one master key', async () => {
    const database = await newDatabase();
    await (await openOn(database)).close();

    const otherEnvironment = openOn(database, { environment: 'sandbox' });
    await expect(otherEnvironment).rejects.toThrow(
      /^The database .* belongs to production and cannot serve sandbox: the environments never mix\.$/,
    );
    await expect(otherEnvironment).rejects.toBeInstanceOf(ConfigError);

    const otherKey = openOn(database, { masterKey: randomBytes(32) });
    await expect(otherKey).rejects.toThrow(
      /^The database .* was made with another BELLHOP_MASTER_KEY; give the one/,
    );
    await expect(otherKey).rejects.toBeInstanceOf(ConfigError);

    // A refusal leaves nothing locked.
    await openOn(database);
  });

  test('a change leaves an audit row: when, who, what, before and after', async () => {
    const store = await freshStore();
    const outcome = await store.change('Ann (tok_1)', async ({ now, audit }) => {
      expect(now).toBe(clock.now());
      await audit('partner.rename', 'par_1', { name: 'a “quoted” \\ name' }, { name: null });
      await audit('partner.create', 'par_2', null, {});
      return 'outcome';
    });
    expect(outcome).toBe('outcome');
    const rows = await store.db.selectFrom('audit').selectAll().orderBy('subject').execute();
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^aud_[0-9a-f]{28}$/),
        at: clock.now(),
        actor: 'Ann (tok_1)',
        action: 'partner.rename',
        subject: 'par_1',
        before: '{"name":"a “quoted” \\\\ name"}',
        after: '{"name":null}',
      },
      expect.objectContaining({ subject: 'par_2', before: null, after: '{}' }),
    ]);
  });

  test('a change that fails stores nothing and announces no keys', async () => {
    const store = await freshStore();
    const heard = listenTo(store);
    const failing = store.change('test', async (change) => {
      await insertPartner(change);
      await change.audit('partner.create', partner.id, null, null);
      await change.invalidate(['1']);
      throw new Error('on second thoughts');
    });
    await expect(failing).rejects.toThrow('on second thoughts');
    expect(await contents(store)).toEqual({ partners: 0, audits: 0 });
    expect(heard).toEqual([]);
  });

  test('a change without an audit row is not committed', async () => {
    const store = await freshStore();
    const heard = listenTo(store);
    const silent = store.change('test', async (change) => {
      await insertPartner(change);
      await change.invalidate(['1']);
    });
    await expect(silent).rejects.toThrow('a change without an audit row');
    expect(await contents(store)).toEqual({ partners: 0, audits: 0 });
    expect(heard).toEqual([]);

    // The next change still works.
    await fill(store);
    expect(await contents(store)).toEqual({ partners: 1, audits: 1 });
  });

  test('keys are announced exactly when their change can be read', async () => {
    const store = await freshStore();
    await fill(store);
    const heard = Promise.withResolvers<unknown>();
    const unsubscribe = store.invalidations.subscribe((keyIds) => {
      if (keyIds.includes(apiKey.key_id)) heard.resolve(store.keys.find(apiKey.key_id));
    });
    await store.change('test', async ({ db, audit, invalidate }) => {
      await db.updateTable('api_key').set({ disabled: 0 }).execute();
      await invalidate([apiKey.key_id]);
      await audit('key.update', apiKey.key_id, null, null);
      // Sign-in must not see an uncommitted change.
      expect(await store.keys.find(apiKey.key_id)).toMatchObject({ disabled: 1 });
    });
    expect(await heard.promise).toMatchObject({ disabled: 0 });
    expect(store.invalidations.isCurrent()).toBe(true);
    unsubscribe();
  });

  test('a listener that has unsubscribed is not called', async () => {
    const store = await freshStore();
    const heard: string[] = [];
    const unsubscribe = store.invalidations.subscribe((keyIds) => {
      heard.push(...keyIds);
    });
    unsubscribe();
    await store.change('test', async ({ audit, invalidate }) => {
      await invalidate(['1']);
      await audit('key.update', '1', null, null);
    });
    expect(heard).toEqual([]);
  });

  test('a change can announce 25,001 keys', async () => {
    const store = await freshStore();
    const heard = new Set<string>();
    store.invalidations.subscribe((keyIds) => {
      for (const keyId of keyIds) heard.add(keyId);
    });
    const keyIds = Array.from({ length: 25_001 }, (_, n) => String(n));
    await store.change('test', async ({ audit, invalidate }) => {
      await invalidate(keyIds);
      await audit('partner.update', 'par_1', null, null);
    });
    expect(heard.size).toBe(keyIds.length);
  });

  test('concurrent changes all succeed, each as a whole', async () => {
    const store = await freshStore();
    await fill(store);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        store.change('test', async ({ db, audit }) => {
          await db
            .updateTable('partner')
            .set((where) => ({ suspended: where('suspended', '+', 1) }))
            .execute();
          await audit('partner.update', partner.id, null, { n });
          if (n % 4 === 0) throw new Error('fails');
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(15);
    const { suspended } = await store.db
      .selectFrom('partner')
      .select('suspended')
      .executeTakeFirstOrThrow();
    expect(suspended).toBe(15);
    expect(await contents(store)).toMatchObject({ audits: 1 + 15 });
  });

  test('finds a key with its partner, and its grants', async () => {
    const store = await freshStore();
    await fill(store);
    expect(await store.keys.find(apiKey.key_id)).toEqual({
      keyId: apiKey.key_id,
      partnerId: partner.id,
      digest: 'digest',
      previousDigest: 'digest before',
      previousUntil: 1_800_000_000_000,
      earlierKeys: apiKey.earlier_keys,
      sealed: 'sealed',
      previousSealed: null,
      allowedIps: '["127.0.0.1"]',
      disabled: 1,
      suspended: 0,
      expiresAt: 1_900_000_000_000,
      revokedAt: null,
      grantSet: apiKey.grant_set,
    });
    expect(await store.keys.grants(apiKey.grant_set)).toBe(defaultGrants().json);
    await expect((async () => store.keys.grants('no such set'))()).rejects.toThrow();
  });

  test.each(['', '0', ' 1234567890', "' or 1=1 --", '1234567890\0', '\0', 'é', '🧳', '\ud800'])(
    'finds no key by the id %j',
    async (keyId) => {
      const store = await freshStore();
      await fill(store);
      expect(await store.keys.find(keyId)).toBeUndefined();
    },
  );

  admissionsConformance(openOn, newDatabase);
}

interface Identity {
  environment: EnvironmentName;
  masterKey: Buffer;
}

function listenTo(store: Store): string[] {
  const heard: string[] = [];
  store.invalidations.subscribe((keyIds) => {
    heard.push(...keyIds);
  });
  return heard;
}

async function insertPartner({ db }: Change): Promise<void> {
  await db.insertInto('partner').values(partner).execute();
}

async function contents({ db }: Store) {
  const partners = await db.selectFrom('partner').select('id').execute();
  const audits = await db.selectFrom('audit').select('id').execute();
  return { partners: partners.length, audits: audits.length };
}
