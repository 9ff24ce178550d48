/** What every store must do, whichever engine is behind it. */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { ConfigError } from '../../src/config/config.ts';
import type { EnvironmentName } from '../../src/config/settings.ts';
import { defaultGrants } from '../../src/grants.ts';
import type { Admission } from '../../src/limits/limiter.ts';
import type { ApiKeyRow, PartnerRow } from '../../src/store/schema.ts';
import type { Change, Store } from '../../src/store/store.ts';
import { Vault } from '../../src/vault.ts';
import { ManualClock } from '../manual-clock.ts';

/** An empty place for one database, on which stores are opened one after another. */
export interface Place {
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
  allowed_ips: '["127.0.0.1"]',
  disabled: 1,
  expires_at: 1_900_000_000_000,
  revoked_at: null,
  grant_set: defaultGrants().id,
  created_at: 1_700_000_000_001,
};

/** Puts the partner and the key above into a store. */
export async function fill(store: Store): Promise<void> {
  await store.change('test', async ({ db, audit }) => {
    await db.insertInto('partner').values(partner).execute();
    const { id, json } = defaultGrants();
    await db.insertInto('grant_set').values({ id, grants: json }).execute();
    await db.insertInto('api_key').values(apiKey).execute();
    await audit('test.fill', partner.id, null, null);
  });
}

export function storeConformance(freshPlace: () => Promise<Place>): void {
  const clock = new ManualClock();

  async function openOn(
    place: Place,
    { environment = 'production', masterKey = MASTER_KEY }: Partial<Identity> = {},
  ): Promise<Store> {
    const store = await place.open({
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
    return openOn(await freshPlace());
  }

  test('creates its tables on an empty place, and finds everything again when reopened', async () => {
    const place = await freshPlace();
    const first = await openOn(place);
    expect(await first.db.selectFrom('partner').selectAll().execute()).toEqual([]);
    await fill(first);
    await first.close();

    const second = await openOn(place);
    expect(await second.db.selectFrom('partner').selectAll().execute()).toEqual([partner]);
    expect(await second.db.selectFrom('api_key').selectAll().execute()).toEqual([apiKey]);
    await second.ping();
  });

  test('belongs to one environment and one master key for good', async () => {
    const place = await freshPlace();
    await (await openOn(place)).close();

    const otherEnvironment = openOn(place, { environment: 'sandbox' });
    await expect(otherEnvironment).rejects.toThrow(
      /^The database .* belongs to production and cannot serve sandbox: the environments never mix\.$/,
    );
    await expect(otherEnvironment).rejects.toBeInstanceOf(ConfigError);

    const otherKey = openOn(place, { masterKey: randomBytes(32) });
    await expect(otherKey).rejects.toThrow(
      /^The database .* was made with another BELLHOP_MASTER_KEY; give the one/,
    );
    await expect(otherKey).rejects.toBeInstanceOf(ConfigError);

    // Having been refused holds nothing back.
    await openOn(place);
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

  test('a change that fails leaves nothing, and nobody hears of its keys', async () => {
    const store = await freshStore();
    const heard = listenTo(store);
    const failing = store.change('test', async (change) => {
      await insertPartner(change);
      await change.audit('partner.create', partner.id, null, null);
      await change.keysChanged(['1']);
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
      await change.keysChanged(['1']);
    });
    await expect(silent).rejects.toThrow('a change without an audit row');
    expect(await contents(store)).toEqual({ partners: 0, audits: 0 });
    expect(heard).toEqual([]);

    // And the next one is not hindered by it.
    await fill(store);
    expect(await contents(store)).toEqual({ partners: 1, audits: 1 });
  });

  test('keys are announced when, and only when, their change can be read', async () => {
    const store = await freshStore();
    await fill(store);
    const heard = Promise.withResolvers<unknown>();
    const unsubscribe = store.keyChanges.subscribe((keyIds) => {
      if (keyIds.includes(apiKey.key_id)) heard.resolve(store.keys.find(apiKey.key_id));
    });
    await store.change('test', async ({ db, audit, keysChanged }) => {
      await db.updateTable('api_key').set({ disabled: 0 }).execute();
      await keysChanged([apiKey.key_id]);
      await audit('key.update', apiKey.key_id, null, null);
      // Sign-in must not see what may yet be taken back.
      expect(await store.keys.find(apiKey.key_id)).toMatchObject({ disabled: 1 });
    });
    expect(await heard.promise).toMatchObject({ disabled: 0 });
    expect(store.keyChanges.isCurrent()).toBe(true);
    unsubscribe();
  });

  test('who has unsubscribed hears no more', async () => {
    const store = await freshStore();
    const heard: string[] = [];
    const unsubscribe = store.keyChanges.subscribe((keyIds) => {
      heard.push(...keyIds);
    });
    unsubscribe();
    await store.change('test', async ({ audit, keysChanged }) => {
      await keysChanged(['1']);
      await audit('key.update', '1', null, null);
    });
    expect(heard).toEqual([]);
  });

  test('a change can touch very many keys', async () => {
    const store = await freshStore();
    const heard = new Set<string>();
    store.keyChanges.subscribe((keyIds) => {
      for (const keyId of keyIds) heard.add(keyId);
    });
    const keyIds = Array.from({ length: 25_001 }, (_, n) => String(n));
    await store.change('test', async ({ audit, keysChanged }) => {
      await keysChanged(keyIds);
      await audit('partner.update', 'par_1', null, null);
    });
    expect(heard.size).toBe(keyIds.length);
  });

  test('changes at the same time all happen, each whole', async () => {
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

  test('admissions come back in the order in which they were appended, but for those over', async () => {
    const place = await freshPlace();
    const first = await openOn(place);
    const appended = [
      admission('b', 1_000, 9_000),
      admission('a', 900, 5_001),
      admission('a', 1_100, 5_000),
      admission('b', 1_000, 9_000),
    ];
    await first.admissions.append(appended.slice(0, 3));
    await first.admissions.append(appended.slice(3));
    await first.close();

    const second = await openOn(place);
    expect(await loaded(second, 0)).toEqual(appended);
    expect(await loaded(second, 5_000)).toEqual([appended[0], appended[1], appended[3]]);
    expect(await loaded(second, 9_000)).toEqual([]);
  });

  test('keeps which admissions are stated anew', async () => {
    const store = await freshStore();
    const restated = { ...admission('a', 1_000, 9_000), restatedAtMs: 2_000 };
    await store.admissions.append([admission('a', 1_000, 5_000), restated]);
    expect(await loaded(store, 0)).toEqual([admission('a', 1_000, 5_000), restated]);
  });

  test('prunes the admissions that are over, however many, and no other', async () => {
    const store = await freshStore();
    const over = Array.from({ length: 11_000 }, (_, n) => admission('a', n, 5_000));
    const counting = over.map((each) => ({ ...each, keepUntilMs: 9_000 }));
    await store.admissions.append(over);
    await store.admissions.append(counting);
    for (const one of over.slice(0, 2_000)) await store.admissions.append([one]);
    expect(await loaded(store, 0)).toHaveLength(24_000);
    expect(await loaded(store, 5_000)).toEqual(counting);
    await store.admissions.prune(5_000);
    expect(await loaded(store, 0)).toEqual(counting);
    await store.admissions.prune(5_000);
    expect(await loaded(store, 0)).toHaveLength(11_000);
  });

  test('admissions do not share the fate of a change that is under way', async () => {
    const store = await freshStore();
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const change = store.change('test', async (change) => {
      await insertPartner(change);
      begun.resolve();
      await release.promise;
      throw new Error('rolled back');
    });
    await begun.promise;
    const appended = store.admissions.append([admission('a', 1, 9_000)]);
    const pruned = store.admissions.prune(0);
    release.resolve();
    await expect(change).rejects.toThrow('rolled back');
    await appended;
    await pruned;
    expect(await loaded(store, 0)).toEqual([admission('a', 1, 9_000)]);
    expect(await contents(store)).toEqual({ partners: 0, audits: 0 });
  });
}

interface Identity {
  environment: EnvironmentName;
  masterKey: Buffer;
}

function listenTo(store: Store): string[] {
  const heard: string[] = [];
  store.keyChanges.subscribe((keyIds) => {
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

function admission(keyId: string, atMs: number, keepUntilMs: number): Admission {
  return { keyId, endpoint: 'api/b2b/v3/overview/', atMs, keepUntilMs };
}

async function loaded(store: Store, nowMs: number): Promise<Admission[]> {
  const admissions: Admission[] = [];
  for await (const admission of store.admissions.load(nowMs)) admissions.push(admission);
  return admissions;
}
