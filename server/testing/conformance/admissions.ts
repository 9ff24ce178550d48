/** What the journal of admissions must do on every engine. */
import { expect, test } from 'vitest';
import type { Admission } from '../../src/limiter/limiter.ts';
import type { Store } from '../../src/store/store.ts';
import { partner, type TestDatabase } from './store.ts';

export function admissionsConformance(
  openOn: (database: TestDatabase) => Promise<Store>,
  newDatabase: () => Promise<TestDatabase>,
): void {
  test('admissions come back in the order in which they were appended, except expired ones', async () => {
    const database = await newDatabase();
    const first = await openOn(database);
    const appended = [
      admission('b', 1_000, 9_000),
      admission('a', 900, 5_001),
      admission('a', 1_100, 5_000),
      admission('b', 1_000, 9_000),
    ];
    await first.admissions.append(appended.slice(0, 3));
    await first.admissions.append(appended.slice(3));
    await first.close();

    const second = await openOn(database);
    expect(await loaded(second, 0)).toEqual(appended);
    expect(await loaded(second, 5_000)).toEqual([appended[0], appended[1], appended[3]]);
    expect(await loaded(second, 9_000)).toEqual([]);
  });

  test('keeps which admissions are restated', async () => {
    const store = await openOn(await newDatabase());
    const restated = { ...admission('a', 1_000, 9_000), restatedAtMs: 2_000 };
    await store.admissions.append([admission('a', 1_000, 5_000), restated]);
    expect(await loaded(store, 0)).toEqual([admission('a', 1_000, 5_000), restated]);
  });

  test('deletes any number of expired admissions, and no others', async () => {
    const store = await openOn(await newDatabase());
    const over = Array.from({ length: 11_000 }, (_, n) => admission('a', n, 5_000));
    const counting = over.map((each) => ({ ...each, keepUntilMs: 9_000 }));
    // More than both engines delete at once: one has a row for each admission, the other for each call of `append`. In
    // small parts, because a partner's call waits for it, so it has little time.
    for (let n = 0; n < over.length; n += 10) await store.admissions.append(over.slice(n, n + 10));
    for (let n = 0; n < over.length; n += 100) {
      await store.admissions.append(counting.slice(n, n + 100));
    }
    expect(await loaded(store, 0)).toHaveLength(22_000);
    expect(await loaded(store, 5_000)).toEqual(counting);
    await store.admissions.prune(5_000);
    expect(await loaded(store, 0)).toEqual(counting);
    await store.admissions.prune(5_000);
    expect(await loaded(store, 0)).toHaveLength(11_000);
  });

  test('admissions are independent of a change in progress', async () => {
    const store = await openOn(await newDatabase());
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const change = store.change('test', async (change) => {
      await change.db.insertInto('partner').values(partner).execute();
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
    expect(await store.db.selectFrom('partner').select('id').execute()).toEqual([]);
    expect(await store.db.selectFrom('audit').select('id').execute()).toEqual([]);
  });
}

function admission(keyId: string, atMs: number, keepUntilMs: number): Admission {
  return { keyId, endpoint: 'api/b2b/v3/overview/', atMs, keepUntilMs };
}

async function loaded(store: Store, nowMs: number): Promise<Admission[]> {
  const admissions: Admission[] = [];
  for await (const admission of store.admissions.load(nowMs)) admissions.push(admission);
  return admissions;
}
