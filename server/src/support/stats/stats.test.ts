import { expect, onTestFinished, test } from 'vitest';
import { describeOnEachStore, Rig, type TestDatabase } from '../../../testing/delivery-rig.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { type Outcome, QueueOwner } from '../../../testing/queue-owner.ts';
import { status } from '../../../testing/webhook-receiver.ts';
import { type DeliveryStats, startDeliveryStats } from '../../delivery/delivery-stats.ts';
import { startHousekeeping } from '../../delivery/housekeeping.ts';
import { createLogger } from '../../logging/logger.ts';
import { Metrics } from '../../metrics.ts';
import { getMidoffice } from '../midoffices/get-midoffice.ts';
import { listMidoffices } from '../midoffices/list-midoffices.ts';
import { sendTestEvent } from '../midoffices/test-event.ts';
import { updateMidoffice } from '../midoffices/update-midoffice.ts';
import { updatePartner } from '../partners/update-partner.ts';
import { createStatsReader, type StatsSpan, statsSpans } from './stats.ts';

const MINUTE_MS = 60_000;
const URL = 'http://127.0.0.1:9/hook';
const log = createLogger('silent', () => {});

describeOnEachStore('stats', (newDatabase) => {
  async function open(
    database?: TestDatabase,
    clock = new ManualClock(Date.UTC(2026, 0, 31, 12, 7, 30)),
  ) {
    const at = database ?? (await newDatabase());
    const rig = await Rig.open(at, { clock });
    const backOffice = await at.openBackOffice(rig.store, clock);
    onTestFinished(() => backOffice.close());
    const owner = await QueueOwner.of(rig);
    const stats = startDeliveryStats({ store: rig.store, clock, log });
    const read = (span: StatsSpan = 'hour') =>
      createStatsReader(rig.environment, backOffice, () => [])(span);
    return { rig, backOffice, owner, clock, stats, read };
  }

  /** Accepts one delivery and settles its next attempt. */
  async function attempt(
    { rig, owner, stats }: { rig: Rig; owner: QueueOwner; stats: DeliveryStats },
    midoffice: { id: string; partnerId: string },
    outcome: Outcome,
  ): Promise<string> {
    const [id] = await rig.accept(midoffice, ['order']);
    const begun = await owner.begin({ [midoffice.id]: 1 });
    for (const settled of await owner.settle(begun, outcome)) stats.note(settled);
    return id as string;
  }

  test('an idle environment has empty buckets, as many as the span needs', async () => {
    const { read } = await open();
    const nothing = { delivered: 0, failed_attempts: 0, exhausted: 0 };
    const hour = await read('hour');
    expect(hour).toMatchObject({
      span: 'hour',
      from: '2026-01-31T11:08:00.000Z',
      to: '2026-01-31T12:08:00.000Z',
      step_seconds: 60,
      pending: 0,
      oldest_pending_at: null,
      in_flight: 0,
      success_rate: null,
      failing_count: 0,
      failing_midoffices: [],
      paused_midoffices: [],
      unrouted: 0,
      limited_keys: [],
      recent_changes: [],
    });
    expect(hour.buckets).toHaveLength(60);
    expect(hour.buckets[0]).toEqual({ at: '2026-01-31T11:08:00.000Z', ...nothing });
    expect(hour.buckets.at(-1)).toEqual({ at: '2026-01-31T12:07:00.000Z', ...nothing });
    const day = await read('day');
    expect([day.buckets.length, day.step_seconds, day.to]).toEqual([
      96,
      900,
      '2026-01-31T12:15:00.000Z',
    ]);
    const week = await read('week');
    expect([week.buckets.length, week.step_seconds, week.to]).toEqual([
      84,
      7_200,
      '2026-01-31T14:00:00.000Z',
    ]);
  });

  test('attempts are counted per minute and summed over longer steps', async () => {
    const parts = await open();
    const { rig, clock, stats, read } = parts;
    const midoffice = await rig.midoffice(URL);
    await attempt(parts, midoffice, 'delivered');
    await attempt(parts, midoffice, { retryInMs: MINUTE_MS });
    clock.advance(MINUTE_MS);
    await attempt(parts, midoffice, 'exhausted');
    await attempt(parts, midoffice, 'delivered');
    await attempt(parts, midoffice, 'delivered');
    await stats.flush();
    const { buckets, success_rate, pending } = await read('hour');
    expect(buckets.slice(-2)).toMatchObject([
      { at: '2026-01-31T12:07:00.000Z', delivered: 1, failed_attempts: 1, exhausted: 0 },
      { at: '2026-01-31T12:08:00.000Z', delivered: 2, failed_attempts: 1, exhausted: 1 },
    ]);
    expect(success_rate).toBe(3 / 5);
    expect(pending).toBe(1);
    for (const span of ['day', 'week'] as const) {
      expect((await read(span)).buckets.at(-1)).toMatchObject({
        delivered: 3,
        failed_attempts: 2,
        exhausted: 1,
      });
    }
  });

  test('counts reach the store after two seconds and on stop', async () => {
    const parts = await open();
    const { rig, clock, stats, read } = parts;
    const midoffice = await rig.midoffice(URL);
    const delivered = async () =>
      (await read()).buckets.reduce((sum, one) => sum + one.delivered, 0);
    await attempt(parts, midoffice, 'delivered');
    expect(await delivered()).toBe(0);
    clock.advance(2_000);
    await stats.flush();
    expect(await delivered()).toBe(1);
    await attempt(parts, midoffice, 'delivered');
    await stats.stop();
    expect(await delivered()).toBe(2);
  });

  test('the counts of several nodes are summed', async () => {
    const parts = await open();
    const other = startDeliveryStats({ store: parts.rig.store, clock: parts.clock, log });
    const midoffice = await parts.rig.midoffice(URL);
    await attempt(parts, midoffice, 'delivered');
    await attempt({ ...parts, stats: other }, midoffice, 'delivered');
    await Promise.all([parts.stats.flush(), other.flush()]);
    expect((await parts.read()).buckets.at(-1)).toMatchObject({ delivered: 2 });
  });

  test('minutes are deleted once no chart shows them', async () => {
    const parts = await open();
    const { rig, clock, stats } = parts;
    await attempt(parts, await rig.midoffice(URL), 'delivered');
    await stats.flush();
    const housekeeping = startHousekeeping({
      environment: 'production',
      store: rig.store,
      retentionMs: 0,
      raise: async () => true,
      clock,
      log,
      metrics: new Metrics(),
    });
    housekeeping.stop();
    const count = async () =>
      (await rig.store.db.selectFrom('minute_stat').selectAll().execute()).length;
    clock.advance(7 * 86_400_000);
    await housekeeping.round();
    expect(await count()).toBe(1);
    clock.advance(86_400_000);
    await housekeeping.round();
    expect(await count()).toBe(0);
  });

  test('failing midoffices are shown with their pending deliveries and last error', async () => {
    const parts = await open();
    const { rig, owner, clock, stats, read } = parts;
    const failing = await rig.midoffice(URL, { name: 'Dead' });
    await rig.midoffice(URL, { name: 'Fine' });
    const first = await attempt(parts, failing, { retryInMs: MINUTE_MS });
    clock.advance(1_000);
    const second = await attempt(parts, failing, 'exhausted');
    await rig.store.queue.markFailing(failing.id, clock.now() - 1_000);
    await stats.flush();
    expect(await read()).toMatchObject({
      pending: 1,
      oldest_pending_at: (await rig.show(first)).accepted_at,
      failing_midoffices: [
        {
          id: failing.id,
          name: 'Dead',
          failing_since: '2026-01-31T12:07:30.000Z',
          pending: 1,
          last_error: 'It answered 500.',
        },
      ],
    });
    expect(await getMidoffice(rig.environment, failing.id)).toMatchObject({
      pending: 1,
      oldest_pending_at: (await rig.show(first)).accepted_at,
      delivery_node: owner.node.id,
      last_attempt: { delivery_id: second, number: 1, outcome: 'failed', status_code: 500 },
    });
  });

  test('failing midoffices come by impact: most pending first, then those failing for longer', async () => {
    const parts = await open();
    const { rig, clock, read } = parts;
    const waiting = { 'Long, none': 0, 'Short, two': 2, 'Long, one': 1, 'Short, one': 1 };
    for (const [name, pending] of Object.entries(waiting)) {
      const midoffice = await rig.midoffice(URL, { name });
      await rig.accept(midoffice, Array(pending).fill('order'));
      await rig.store.queue.markFailing(midoffice.id, clock.now());
      clock.advance(1_000);
    }
    const { failing_count, failing_midoffices } = await read();
    expect(failing_count).toBe(4);
    expect(failing_midoffices.map(({ name, pending }) => [name, pending])).toEqual([
      ['Short, two', 2],
      ['Long, one', 1],
      ['Short, one', 1],
      ['Long, none', 0],
    ]);
  });

  test('all failing midoffices are counted, and of more than are shown the worst are shown', async () => {
    const { rig, clock, read } = await open();
    const { keyId } = await rig.midoffice(URL);
    const copies = Array.from({ length: 25 }, (_, n) => ({ id: `mid_copy_${n}` }));
    const row = await rig.store.db.selectFrom('midoffice').selectAll().executeTakeFirstOrThrow();
    await rig.store.db
      .insertInto('midoffice')
      .values(copies.map(({ id }, n) => ({ ...row, id, failing_since: clock.now() + n })))
      .execute();
    expect(row.signing_key_id).toBe(keyId);
    const last = await rig.midoffice(URL, { name: 'Newest and worst' });
    await rig.accept(last, ['order']);
    await rig.store.queue.markFailing(last.id, clock.now() + 1_000);
    const { failing_count, failing_midoffices } = await read();
    expect(failing_count).toBe(26);
    expect(failing_midoffices).toHaveLength(20);
    expect(failing_midoffices[0]).toMatchObject({ name: 'Newest and worst', pending: 1 });
  });

  test('paused midoffices are shown with what waits for them', async () => {
    const { rig, read } = await open();
    const idle = await rig.midoffice(URL, { name: 'Idle' });
    const waited = await rig.midoffice(URL, { name: 'Waited for' });
    await rig.midoffice(URL, { name: 'Not paused' });
    for (const { id } of [idle, waited]) {
      await updateMidoffice(rig.environment, 'Ann (tok_1)', id, { paused: true });
    }
    await rig.accept(waited, ['a', 'b']);
    expect((await read()).paused_midoffices).toEqual([
      { id: waited.id, name: 'Waited for', pending: 2 },
      { id: idle.id, name: 'Idle', pending: 0 },
    ]);
  });

  test('events without a midoffice are counted', async () => {
    const { rig, read } = await open();
    const midoffice = await rig.midoffice(URL);
    await updatePartner(rig.environment, 'Ann (tok_1)', midoffice.partnerId, {
      midoffice_id: null,
    });
    await rig.accept(midoffice, ['a', 'b']);
    expect(await read()).toMatchObject({ unrouted: 2, pending: 0 });
  });

  test('the refused keys are those of the span', async () => {
    const { rig, backOffice } = await open();
    const { keyId } = await rig.midoffice(URL);
    const asked: string[] = [];
    const reader = createStatsReader(rig.environment, backOffice, (span) => {
      asked.push(span);
      return [{ keyId, refused: 7 }];
    });
    for (const span of statsSpans) {
      expect((await reader(span)).limited_keys).toMatchObject([{ key_id: keyId, refused: 7 }]);
    }
    expect(asked).toEqual(['hour', 'day', 'week']);
  });

  test('a midoffice is untested until something was sent to it, then healthy or failing', async () => {
    const parts = await open();
    const { rig, clock, stats } = parts;
    const midoffice = await rig.midoffice(URL);
    const health = async () => {
      const { items } = await listMidoffices(rig.environment, {});
      const one = await getMidoffice(rig.environment, midoffice.id);
      expect(items[0]?.health).toBe(one.health);
      return one.health;
    };
    expect(await health()).toBe('untested');
    const paused = await updateMidoffice(rig.environment, 'Ann (tok_1)', midoffice.id, {
      paused: true,
    });
    expect(paused.health).toBe('untested');
    await attempt(parts, midoffice, 'delivered');
    await stats.flush();
    expect(await health()).toBe('healthy');
    await rig.store.queue.markFailing(midoffice.id, clock.now());
    expect(await health()).toBe('failing');
    await rig.store.queue.markFailing(midoffice.id, null);
    expect(await health()).toBe('healthy');
  });

  test('before the first webhook, the latest test event decides about the health', async () => {
    const { rig } = await open();
    const receiver = await rig.receiver(status(500));
    const { id } = await rig.midoffice(receiver.url);
    await sendTestEvent(rig.environment, 'Ann (tok_1)', id);
    expect((await getMidoffice(rig.environment, id)).health).toBe('failing');
    receiver.answer = status(200);
    await sendTestEvent(rig.environment, 'Ann (tok_1)', id);
    expect((await getMidoffice(rig.environment, id)).health).toBe('healthy');
  });

  test('a midoffice without deliveries has no last attempt', async () => {
    const { rig } = await open();
    const { id } = await rig.midoffice(URL);
    expect(await getMidoffice(rig.environment, id)).toMatchObject({
      pending: 0,
      oldest_pending_at: null,
      last_attempt: null,
    });
  });

  test('the last attempt is the latest one of all nodes', async () => {
    const parts = await open();
    const { rig, clock } = parts;
    const other = startDeliveryStats({ store: rig.store, clock, log });
    const midoffice = await rig.midoffice(URL);
    await attempt({ ...parts, stats: other }, midoffice, 'delivered');
    clock.advance(1_000);
    const later = await attempt(parts, midoffice, 'delivered');
    await parts.stats.flush();
    await other.flush();
    const { last_attempt } = await getMidoffice(rig.environment, midoffice.id);
    expect(last_attempt).toMatchObject({ delivery_id: later });
  });

  test('the ten latest changes are shown, newest first', async () => {
    const { rig, clock, read } = await open();
    for (let i = 0; i < 6; i++) {
      clock.advance(1_000);
      await rig.midoffice(URL, { name: `Midoffice ${i}` });
    }
    const { recent_changes } = await read();
    expect(recent_changes).toHaveLength(10);
    expect(recent_changes[0]?.at).toBe('2026-01-31T12:07:36.000Z');
  });
});
