/** What is read back, and how many are kept, on both engines. */
import { expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../testing/delivery-rig.ts';
import { refusedCall } from '../../testing/recorded-calls.ts';
import type { RecordedCall } from '../gateway/recorded-calls/recorded-call.ts';
import {
  type CallFilter,
  cutoffOfCalls,
  deleteOldCalls,
  MOST_FAILED_SIGN_INS,
  MOST_OF_A_KEY,
  readCalls,
} from './recorded-calls.ts';
import type { Store } from './store.ts';

const HP = 'api/b2b/v3/search/hp/';
const OVERVIEW = 'api/b2b/v3/overview/';
const EVERYTHING = { limit: 10_000 };

describeOnEachStore('recorded calls', (newDatabase) => {
  const open = async () => (await Rig.open(await newDatabase())).store;
  const idsOf = async ({ db }: Store, filter: CallFilter = {}) =>
    (await readCalls(db, filter, EVERYTHING)).map(({ request_id }) => request_id);
  async function add(store: Store, calls: RecordedCall[]): Promise<RecordedCall[]> {
    for (let i = 0; i < calls.length; i += 100) {
      await store.recordedCalls.add(calls.slice(i, i + 100));
    }
    return calls;
  }

  test('come back as they were written, once each', async () => {
    const store = await open();
    const calls = [
      refusedCall({ at: 3 }),
      refusedCall({
        at: 2,
        key_id: '',
        partner_id: '',
        signed_in: 0,
        endpoint: null,
        path: '/admin.php',
        method: null,
        requests_number: null,
        seconds_number: null,
        remaining: null,
        resets_at: null,
      }),
      refusedCall({
        at: 1,
        code: 'upstream_error',
        status: 503,
        upstream_status: 503,
        upstream_ms: 12.5,
        sampled_from: 5_000_000_000,
      }),
    ];
    await add(store, calls);
    // The answer to the first try was lost.
    await add(store, calls);
    expect(await readCalls(store.db, {}, EVERYTHING)).toEqual(calls);
  });

  test('are found by each filter, and by several at once', async () => {
    const store = await open();
    const [a, b, c] = (await add(store, [
      refusedCall({ at: 30, key_id: '1', partner_id: 'par_1', address: '192.0.2.1' }),
      refusedCall({ at: 20, key_id: '2', partner_id: 'par_1', code: 'upstream_timeout' }),
      refusedCall({ at: 10, key_id: '3', partner_id: 'par_2', endpoint: OVERVIEW }),
    ])) as [RecordedCall, RecordedCall, RecordedCall];
    const [one, two, three] = [a.request_id, b.request_id, c.request_id];
    expect(await idsOf(store)).toEqual([one, two, three]);
    expect(await idsOf(store, { keyId: '2' })).toEqual([two]);
    expect(await idsOf(store, { partnerId: 'par_1' })).toEqual([one, two]);
    expect(await idsOf(store, { requestId: three })).toEqual([three]);
    expect(await idsOf(store, { code: 'upstream_timeout' })).toEqual([two]);
    expect(await idsOf(store, { endpoint: HP })).toEqual([one, two]);
    expect(await idsOf(store, { address: '192.0.2.1', endpoint: OVERVIEW })).toEqual([three]);
    expect(await idsOf(store, { sinceMs: 20, untilMs: 20 })).toEqual([two]);
    expect(await idsOf(store, { partnerId: 'par_1', requestId: three })).toEqual([]);
    const next = { limit: 1, after: [a.at, one] as const };
    expect(await readCalls(store.db, { endpoint: HP }, next)).toEqual([b]);
  });

  test('the newest of a key are kept; strangers that know its id displace none of them', async () => {
    const store = await open();
    const other = refusedCall({ at: 0, key_id: '2' });
    const calls = Array.from({ length: MOST_OF_A_KEY + 350 }, (_, at) => refusedCall({ at }));
    await add(store, [other, ...calls]);
    const guesses = Array.from({ length: MOST_FAILED_SIGN_INS + 350 }, (_, i) =>
      refusedCall({ at: 5_000 + i, signed_in: 0, code: 'incorrect_credentials', status: 401 }),
    );
    await add(store, guesses);
    const kept = await readCalls(store.db, { keyId: calls[0]?.key_id }, EVERYTHING);
    const own = kept.filter(({ signed_in }) => signed_in === 1);
    const failed = kept.filter(({ signed_in }) => signed_in === 0);
    // It is trimmed every 100 calls.
    expect(own.length).toBeGreaterThanOrEqual(MOST_OF_A_KEY);
    expect(own.length).toBeLessThanOrEqual(MOST_OF_A_KEY + 100);
    expect(own).toEqual(calls.slice(-own.length).reverse());
    expect(failed.length).toBeGreaterThanOrEqual(MOST_FAILED_SIGN_INS);
    expect(failed.length).toBeLessThanOrEqual(MOST_FAILED_SIGN_INS + 100);
    expect(await idsOf(store, { keyId: '2' })).toEqual([other.request_id]);
  });

  test('old ones are deleted in batches, and the oldest if there are too many', async () => {
    const store = await open();
    const calls = Array.from({ length: 1_200 }, (_, at) =>
      refusedCall({ at, key_id: String(at % 10) }),
    );
    await add(store, calls);
    let batches = 1;
    while (await deleteOldCalls(store.db, 1_100)) batches++;
    expect(batches).toBe(3);
    expect(await idsOf(store)).toHaveLength(100);
    expect(await cutoffOfCalls(store.db)).toBe(0);
    await deleteOldCalls(store.db, await cutoffOfCalls(store.db, 30));
    const newest = calls.slice(-30).reverse();
    expect(await idsOf(store)).toEqual(newest.map(({ request_id }) => request_id));
  });
});
