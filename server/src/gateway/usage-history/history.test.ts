/** Counting in memory, writing in batches, and reading the sums back, on both engines. */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithOwnPostgres, describeWithPostgres } from '../../../../test/support.ts';
import { databaseAt, describeOnEachStore, Rig } from '../../../testing/delivery-rig.ts';
import { eventually } from '../../../testing/eventually.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { sampleOf } from '../../../testing/prometheus.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Metrics } from '../../base/metrics.ts';
import { listApiKeys } from '../../resources/keys/api-keys.ts';
import { revokeKey } from '../../resources/keys/change-key.ts';
import { createKey } from '../../resources/keys/create-key.ts';
import { rotateKey } from '../../resources/keys/rotate-key.ts';
import { createPartner } from '../../resources/partners/change-partner.ts';
import type { Store } from '../../store/store.ts';
import {
  readKeyUsage,
  readLastMinutes,
  readPartnerUsage,
  readPeaks,
} from '../../store/usage-history.ts';
import { Keyring } from '../keyring.ts';
import { DAY_MS, HOUR_MS } from './counts.ts';
import {
  RECORDS_AT_ONCE,
  startUsageHistory,
  type UsageHistory,
  WRITE_EVERY_MS,
} from './history.ts';

const OVERVIEW = 'api/b2b/v3/overview/';
const HP = 'api/b2b/v3/search/hp/';
const NOON = Date.UTC(2026, 0, 31, 12);
const PARTNER = { name: 'Partner', integration_started_on: '2025-11-01', is_new: true };
const ALL = { sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER };

function historyOn(store: Store, clock: ManualClock, options: { mostRecords?: number } = {}) {
  const lines: string[] = [];
  const metrics = new Metrics();
  const history = startUsageHistory({
    environment: 'production',
    store: store.usageHistory,
    clock,
    log: createLogger('info', (line) => lines.push(JSON.parse(line).msg)),
    metrics,
    ...options,
  });
  onTestFinished(() => history.stop());
  return Object.assign(history, { lines, metrics });
}

interface Calls {
  admitted?: number;
  refused?: number;
  failed?: number;
  peak?: [calls: number, share: number];
}

function add({ counts }: UsageHistory, keyId: string, endpoint: string, calls: Calls): void {
  const record = counts.of(keyId, endpoint);
  if (!record) return;
  record.admitted += calls.admitted ?? 0;
  record.refused += calls.refused ?? 0;
  record.failed += calls.failed ?? 0;
  if (!calls.peak) return;
  record.peakCalls = Math.max(record.peakCalls ?? 0, calls.peak[0]);
  record.peakShare = Math.max(record.peakShare ?? 0, calls.peak[1]);
}

const hours = ({ db }: Store, keyId: string) => readKeyUsage(db, keyId, { step: 'hour', ...ALL });

/** Moves time past the next write, and waits for it. */
async function written(history: UsageHistory, clock: ManualClock): Promise<void> {
  clock.advance(WRITE_EVERY_MS);
  await history.flush();
}

describeOnEachStore('the usage history', (newDatabase) => {
  async function open() {
    const database = await newDatabase();
    const clock = new ManualClock(NOON);
    const rig = await Rig.open(database, { clock });
    return { database, clock, rig, store: rig.store };
  }
  const days = ({ db }: Store, keyId: string) => readKeyUsage(db, keyId, { step: 'day', ...ALL });

  test('is written every 10 seconds, by hour and by day, without anyone asking', async () => {
    const { store, clock } = await open();
    const history = historyOn(store, clock);
    add(history, '1', OVERVIEW, { admitted: 3, refused: 1, failed: 2, peak: [3, 0.03] });
    expect(await hours(store, '1')).toEqual([]);
    await written(history, clock);
    const counted = { endpoint: OVERVIEW, admitted: 3, refused: 1, failed: 2 };
    const calls = { ...counted, peak_calls: 3, peak_share: 0.03 };
    expect(await hours(store, '1')).toEqual([{ at: NOON, ...calls }]);
    expect(await days(store, '1')).toEqual([{ at: Date.UTC(2026, 0, 31), ...calls }]);
    expect(history.counts.records).toBe(0);
  });

  test('sums over nodes and over batches; the peak is the highest', async () => {
    const { store, clock } = await open();
    const [one, other] = [historyOn(store, clock), historyOn(store, clock)];
    add(one, '1', OVERVIEW, { admitted: 10, peak: [10, 0.1] });
    add(other, '1', OVERVIEW, { admitted: 20, refused: 2, peak: [30, 0.3] });
    add(other, '1', HP, { admitted: 1 });
    await written(one, clock);
    await other.flush();
    add(one, '1', OVERVIEW, { admitted: 5, failed: 1, peak: [15, 0.15] });
    add(one, '1', HP, { admitted: 2, peak: [1, 0.5] });
    await written(one, clock);
    expect(await hours(store, '1')).toEqual([
      {
        ...{ at: NOON, endpoint: OVERVIEW, admitted: 35, refused: 2, failed: 1 },
        ...{ peak_calls: 30, peak_share: 0.3 },
      },
      {
        ...{ at: NOON, endpoint: HP, admitted: 3, refused: 0, failed: 0 },
        ...{ peak_calls: 1, peak_share: 0.5 },
      },
    ]);
    expect(await readPeaks(store.db, '1', 0)).toEqual([
      { endpoint: OVERVIEW, calls: 30, share: 0.3 },
      { endpoint: HP, calls: 1, share: 0.5 },
    ]);
  });

  test('knows the minute of the last call of a key', async () => {
    const { store, clock } = await open();
    const history = historyOn(store, clock);
    add(history, '1', HP, { admitted: 1 });
    await written(history, clock);
    clock.advance(17 * 60_000);
    add(history, '1', OVERVIEW, { admitted: 1 });
    await written(history, clock);
    const last = new Map([['1', NOON + 17 * 60_000]]);
    expect(await readLastMinutes(store.db, ['1', '2'])).toEqual(last);
  });

  test('two nodes that write the same keys at once do not block each other', async () => {
    const { store, clock } = await open();
    const nodes = [historyOn(store, clock), historyOn(store, clock), historyOn(store, clock)];
    const keys = Array.from({ length: RECORDS_AT_ONCE }, (_, i) => String(i));
    for (const [i, node] of nodes.entries()) {
      for (const key of i % 2 ? keys : keys.toReversed()) add(node, key, HP, { admitted: 1 });
    }
    await Promise.all(nodes.map((node) => node.flush()));
    expect(nodes.map(({ lines }) => lines)).toEqual([[], [], []]);
    for (const key of keys) expect(await hours(store, key)).toMatchObject([{ admitted: 3 }]);
  });

  test('hours and days begin in UTC; a call belongs to the hour in which it ends', async () => {
    const { store, clock } = await open();
    const midnight = Date.UTC(2026, 1, 1);
    clock.setWallClock(midnight - 1);
    const history = historyOn(store, clock);
    add(history, '1', HP, { admitted: 1, peak: [1, 0.1] });
    clock.setWallClock(midnight);
    add(history, '1', HP, { admitted: 2 });
    clock.setWallClock(midnight + HOUR_MS - 1);
    add(history, '1', HP, { admitted: 4 });
    clock.setWallClock(midnight + HOUR_MS);
    add(history, '1', HP, { admitted: 8 });
    // The clock was set back.
    clock.setWallClock(midnight + 1);
    add(history, '1', HP, { admitted: 16 });
    await history.flush();
    const at = (rows: { at: number; admitted: number }[]) =>
      rows.map((row) => [row.at - midnight, row.admitted]);
    expect(at(await hours(store, '1'))).toEqual([
      [-HOUR_MS, 1],
      [0, 2 + 4 + 16],
      [HOUR_MS, 8],
    ]);
    expect(at(await days(store, '1'))).toEqual([
      [-DAY_MS, 1],
      [0, 2 + 4 + 8 + 16],
    ]);
  });

  test('since and until choose whole steps, and an endpoint can be picked', async () => {
    const { store, clock } = await open();
    const history = historyOn(store, clock);
    for (let hour = 0; hour < 4; hour++) {
      add(history, '1', HP, { admitted: 1 });
      add(history, '1', OVERVIEW, { admitted: 1 });
      clock.advance(HOUR_MS);
    }
    await history.flush();
    const span = { sinceMs: NOON + HOUR_MS, untilMs: NOON + 3 * HOUR_MS };
    const read = (endpoint?: string) =>
      readKeyUsage(store.db, '1', { step: 'hour', ...span, endpoint });
    expect((await read()).map(({ at, endpoint }) => [at - NOON, endpoint])).toEqual([
      [HOUR_MS, OVERVIEW],
      [HOUR_MS, HP],
      [2 * HOUR_MS, OVERVIEW],
      [2 * HOUR_MS, HP],
    ]);
    expect((await read(HP)).map(({ at }) => at - NOON)).toEqual([HOUR_MS, 2 * HOUR_MS]);
  });

  test("a partner's history adds up its keys, revoked ones included, and no others", async () => {
    const { rig, store, clock } = await open();
    const partner = () => createPartner(rig.environment, 'test', PARTNER);
    const [one, other] = [await partner(), await partner()];
    const keyOf = async ({ id }: { id: string }) =>
      (await createKey(rig.environment, 'test', id, {})).key_id;
    const [first, second, foreign] = [await keyOf(one), await keyOf(one), await keyOf(other)];
    const history = historyOn(store, clock);
    add(history, first, HP, { admitted: 1, peak: [1, 0.1] });
    add(history, second, HP, { admitted: 2, refused: 1, failed: 1, peak: [4, 0.4] });
    add(history, foreign, HP, { admitted: 100, peak: [10, 1] });
    await history.flush();
    await revokeKey(rig.environment, 'test', second);
    const sums = await readPartnerUsage(store.db, one.id, { step: 'hour', ...ALL });
    expect(sums).toEqual([
      { at: NOON, endpoint: HP, admitted: 3, refused: 1, failed: 1, peak_share: 0.4 },
    ]);
  });

  test('knows which API keys of a key are used while several work', async () => {
    const { rig, store, clock } = await open();
    const { environment } = rig;
    const { id } = await createPartner(environment, 'test', PARTNER);
    const first = await createKey(environment, 'test', id, {});
    const keyId = first.key_id;
    const rotate = (overlap_seconds: number) =>
      rotateKey(environment, 'test', keyId, { overlap_seconds });
    const keyring = new Keyring({ ...environment, ...store, lookup: store.keys });
    onTestFinished(() => keyring.close());
    const history = historyOn(store, clock);
    const use = async ({ api_key: apiKey }: { api_key: string }) => {
      const caller = await keyring.verify(apiKey, { keyId, apiKey }, '127.0.0.1', () => {});
      if (caller?.inOverlap) history.counts.apiKeys.note(caller.inOverlap);
      await history.flush();
      return caller?.inOverlap;
    };
    const lastUses = async () =>
      (await listApiKeys(environment, keyId)).map(({ last_used_at }) => last_used_at);
    const minute = (n: number) => new Date(NOON + n * 60_000).toISOString();

    expect(await use(first)).toBeUndefined();
    const second = await rotate(3_600);
    expect(await lastUses()).toEqual([null, null]);
    const noted = await use(first);
    clock.advance(60_000);
    await use(second);
    expect(await lastUses()).toEqual([minute(1), minute(0)]);

    // A node that writes late does not set it back.
    const late = historyOn(store, new ManualClock(NOON - 60_000));
    if (noted) late.counts.apiKeys.note(noted);
    await late.flush();
    expect(await lastUses()).toEqual([minute(1), minute(0)]);

    const third = await rotate(0);
    expect(await lastUses()).toEqual([null, minute(0)]);
    await use(third);
    expect(await lastUses()).toEqual([minute(1), minute(0)]);

    // From the end of the overlap on, nothing is noted, so nothing noted before says that the API key was not used since.
    clock.advance(HOUR_MS);
    expect(await use(third)).toBeUndefined();
    expect(await lastUses()).toEqual([null]);
    await rotate(3_600);
    expect(await lastUses()).toEqual([null, null]);
  });

  test('outlives a stop whole', async () => {
    const { database, rig, clock } = await open();
    const history = historyOn(rig.store, clock);
    add(history, '1', HP, { admitted: 1 });
    await written(history, clock);
    add(history, '1', HP, { admitted: 2 });
    await history.stop();
    await rig.close();
    const reopened = await database.open(clock);
    onTestFinished(() => reopened.close());
    expect(await hours(reopened, '1')).toMatchObject([{ admitted: 3 }]);
  });

  test('a batch that arrives twice is counted once', async () => {
    const { store, clock } = await open();
    const history = historyOn(store, clock);
    let tries = 0;
    history.writeThrough(async (batch) => {
      tries++;
      await store.usageHistory.add(batch);
      if (tries === 1) throw new Error('The answer was lost.');
    });
    add(history, '1', HP, { admitted: 5 });
    await history.flush();
    expect(history.lines).toEqual(['the usage history cannot be written; trying again']);
    // Counted while the batch waits for its second try.
    add(history, '1', HP, { admitted: 2 });
    await history.flush();
    expect(tries).toBe(3);
    expect(await hours(store, '1')).toMatchObject([{ admitted: 7 }]);
    expect(history.lines).toEqual([
      'the usage history cannot be written; trying again',
      'the usage history is written again',
    ]);
  });

  test('goes on with the keys it knows when too many counts wait, and says how many calls it lost', async () => {
    const { store, clock } = await open();
    const history = historyOn(store, clock, { mostRecords: 2 });
    let isAway = true;
    history.writeThrough((batch) =>
      isAway ? Promise.reject(new Error('away')) : store.usageHistory.add(batch),
    );
    for (const key of ['1', '2', '3', '1', '3']) add(history, key, HP, { admitted: 1 });
    expect(sampleOf(history.metrics, 'bellhop_usage_calls_dropped_total')).toBe(2);
    expect(sampleOf(history.metrics, 'bellhop_usage_records')).toBe(2);
    await history.flush();
    add(history, '3', HP, { admitted: 1 });
    expect(sampleOf(history.metrics, 'bellhop_usage_calls_dropped_total')).toBe(3);
    isAway = false;
    await history.flush();
    add(history, '3', HP, { admitted: 1 });
    await history.flush();
    expect(await hours(store, '1')).toMatchObject([{ admitted: 2 }]);
    expect(await hours(store, '3')).toMatchObject([{ admitted: 1 }]);
  });

  test('writes more records than fit into one batch', async () => {
    const { store, clock } = await open();
    const history = historyOn(store, clock);
    const keys = Array.from({ length: 2 * RECORDS_AT_ONCE + 1 }, (_, i) => String(i));
    for (const key of keys) add(history, key, HP, { admitted: 1 });
    await history.flush();
    const sums = await Promise.all(keys.map((key) => hours(store, key)));
    expect(sums.every(([row]) => row?.admitted === 1)).toBe(true);
    expect(history.counts.records).toBe(0);
  });
});

describeWithPostgres('keys that somebody changes, on PostgreSQL', (_empty, databaseWithTables) => {
  async function openWithKey() {
    const clock = new ManualClock(NOON);
    const rig = await Rig.open(databaseAt(await databaseWithTables()), { clock });
    const { id } = await createPartner(rig.environment, 'test', PARTNER);
    const { key_id: keyId } = await createKey(rig.environment, 'test', id, {});
    return { store: rig.store, keyId, history: historyOn(rig.store, clock) };
  }
  const waitsForLocks = sql`
    select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`;
  const toChange = (db: Store['db'], keyId: string) =>
    db.selectFrom('api_key').select('last_used_on').where('key_id', '=', keyId).forNoKeyUpdate();

  test('get the day of their last call when the change is over', async () => {
    const { store, keyId, history } = await openWithKey();
    const change = await store.db.startTransaction().execute();
    await toChange(change, keyId).execute();
    add(history, keyId, HP, { admitted: 1 });
    const flushed = history.flush();
    await eventually(
      () => hours(store, keyId),
      (rows) => rows.length === 1,
    );
    await change.commit().execute();
    await flushed;
    await showsTheDay(store, history, keyId);
  });

  test('that stay locked hold up no counts, and get the day of their last call later', async () => {
    const { store, keyId, history } = await openWithKey();
    const change = await store.db.startTransaction().execute();
    await toChange(change, keyId).execute();
    add(history, keyId, HP, { admitted: 1 });
    await history.flush();
    add(history, keyId, OVERVIEW, { admitted: 1 });
    await history.flush();
    expect(await hours(store, keyId)).toHaveLength(2);
    await change.commit().execute();
    await showsTheDay(store, history, keyId);
  });

  /** With this write, or with a later one if the machine was so busy that the key seemed to stay locked. */
  async function showsTheDay(store: Store, history: UsageHistory, keyId: string) {
    await eventually(
      async () => {
        add(history, '1', HP, { admitted: 1 });
        await history.flush();
        return toChange(store.db, keyId).execute();
      },
      ([key]) => key?.last_used_on === Date.UTC(2026, 0, 31),
    );
  }

  test('do not wait for usage that a node is writing, which may be frozen there', async () => {
    const { store, keyId, history } = await openWithKey();
    const obstacle = await store.db.startTransaction().execute();
    await sql`lock table notice in share mode`.execute(obstacle);
    add(history, keyId, HP, { refused: 1, peak: [100, 1] });
    const flushed = history.flush();
    await eventually(
      async () => (await waitsForLocks.execute(store.db)).rows,
      (waiting) => waiting.length > 0,
    );
    await toChange(store.db, keyId).noWait().execute();
    await obstacle.commit().execute();
    await flushed;
    expect(history.lines).toEqual([]);
  });
});

describeWithOwnPostgres('an outage of PostgreSQL', (startPostgres) => {
  test('loses no count', async () => {
    const postgres = await startPostgres();
    const clock = new ManualClock(NOON);
    const { store } = await Rig.open(databaseAt(postgres.url), { clock });
    const history = historyOn(store, clock);
    add(history, '1', HP, { admitted: 1 });
    await written(history, clock);
    await postgres.stop();
    add(history, '1', HP, { admitted: 2 });
    await written(history, clock);
    add(history, '1', HP, { admitted: 4 });
    await written(history, clock);
    expect(history.lines).toEqual(['the usage history cannot be written; trying again']);
    await postgres.restart();
    await expect
      .poll(
        async () => {
          await written(history, clock);
          return history.counts.records;
        },
        { timeout: 20_000 },
      )
      .toBe(0);
    const rows = await readKeyUsage(store.db, '1', { step: 'hour', ...ALL });
    expect(rows).toMatchObject([{ admitted: 7 }]);
  });
});
