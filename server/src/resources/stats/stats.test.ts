import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeOnEachStore } from '../../../testing/delivery-rig.ts';
import { NOWHERE, openStatsRig } from '../../../testing/stats-rig.ts';
import { ReadTimedOut } from '../../base/database-errors.ts';
import { changeDeliveries } from '../deliveries/change-deliveries.ts';
import { updateMidoffice } from '../midoffices/change-midoffice.ts';
import { recoverMidoffice } from '../midoffices/recover-midoffice.ts';
import { getMidoffice } from '../midoffices/show-midoffices.ts';
import { updatePartner } from '../partners/change-partner.ts';
import type { StatsSpan } from './chart.ts';
import { createStatsReader } from './stats.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DOWN_AFTER_MS = 15 * MINUTE_MS;

describeOnEachStore('stats', (newDatabase) => {
  test('shows the rest if the refused calls cannot be read in time, and does not try again at once', async () => {
    const { rig, backOffice } = await openStatsRig(await newDatabase());
    const tries = new Set<object>();
    const db = rig.store.db.withPlugin({
      transformQuery({ node, queryId }) {
        if (JSON.stringify(node).includes('"usage_hour"')) tries.add(queryId);
        return node;
      },
      async transformResult({ queryId, result }) {
        if (!tries.has(queryId)) return result;
        // What is known of a read is kept for 20 times as long as it took.
        await sleep(100);
        throw new ReadTimedOut();
      },
    });
    const environment = { ...rig.environment, store: { ...rig.store, db } };
    const read = createStatsReader(environment, backOffice);
    for (const stats of await Promise.all([read('hour'), read('hour')])) {
      expect(stats).toMatchObject({ limited_keys: null, pending: 0 });
    }
    expect(tries.size).toBe(1);
  });

  test('an idle environment has empty buckets, as many as the span needs', async () => {
    const { read } = await openStatsRig(await newDatabase());
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
      unstable_count: 0,
      unstable_midoffices: [],
      paused_midoffices: [],
      exhausted: 0,
      oldest_exhausted_at: null,
      exhausted_midoffices: [],
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

  test('more exhausted deliveries than are compared are still counted, and in order', async () => {
    const { rig, read } = await openStatsRig(await newDatabase());
    const expected: { id: string; name: string; exhausted: number }[] = [];
    for (const exhausted of [3, 101, 150]) {
      const { id } = await rig.midoffice(NOWHERE);
      const rows = Array.from({ length: exhausted }, (_, n) => ({
        seq: exhausted * 1_000 + n,
        midoffice_id: id,
        state: 'exhausted' as const,
        at: 0,
      }));
      await rig.store.db.insertInto('given_up').values(rows).execute();
      expected.unshift({ id, name: 'Test midoffice', exhausted });
    }
    expect((await read('hour')).exhausted_midoffices).toEqual(expected);
  });

  test('what was exhausted stays until it is recovered or acknowledged, however old', async () => {
    const { rig, clock, read, attempt } = await openStatsRig(await newDatabase());
    const few = await rig.midoffice(NOWHERE);
    const many = await rig.midoffice(NOWHERE);
    const at = new Date(clock.now()).toISOString();
    for (const midoffice of [few, many, many]) await attempt(midoffice, 'exhausted');
    clock.advance(30 * 24 * 60 * MINUTE_MS);
    expect(await read('hour')).toMatchObject({
      exhausted: 3,
      oldest_exhausted_at: at,
      exhausted_midoffices: [
        { id: many.id, exhausted: 2 },
        { id: few.id, exhausted: 1 },
      ],
    });
    const { environment } = rig;
    const filter = { midoffice_id: many.id, only: 'unacknowledged' } as const;
    await changeDeliveries(environment, 'Ann', {
      action: 'acknowledge',
      filter,
      expected: 2,
      reason: 'Told by phone',
    });
    expect(await getMidoffice(environment, many.id)).toMatchObject({ exhausted: 0 });
    await recoverMidoffice(environment, 'Ann', few.id, { since: at });
    expect(await read('hour')).toMatchObject({ exhausted: 0, exhausted_midoffices: [] });
  });

  test('attempts are counted per minute and summed over longer steps', async () => {
    const { rig, clock, stats, read, attempt } = await openStatsRig(await newDatabase());
    const midoffice = await rig.midoffice(NOWHERE);
    await attempt(midoffice, 'delivered');
    await attempt(midoffice, { retryInMs: MINUTE_MS });
    clock.advance(MINUTE_MS);
    await attempt(midoffice, 'exhausted');
    await attempt(midoffice, 'delivered');
    await attempt(midoffice, 'delivered');
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

  test('a midoffice is unstable, with its share, until it has only failed for 15 minutes', async () => {
    const { rig, clock, stats, read, attempt } = await openStatsRig(await newDatabase());
    const midoffice = await rig.midoffice(NOWHERE, { name: 'Shaky' });
    await attempt(midoffice, 'delivered');
    clock.advance(MINUTE_MS);
    await rig.store.queue.markFailing(midoffice.id, clock.now());
    for (let n = 0; n < 3; n++) await attempt(midoffice, 'exhausted');
    await stats.flush();
    const unstable = { id: midoffice.id, name: 'Shaky', last_error: 'It answered 500.' };
    expect(await read()).toMatchObject({
      failing_count: 0,
      failing_midoffices: [],
      unstable_count: 1,
      unstable_midoffices: [{ ...unstable, failed_share: 0.75 }],
    });
    // The one that was delivered is of before.
    clock.advance(15 * MINUTE_MS - 1);
    expect((await read()).unstable_midoffices).toMatchObject([{ ...unstable, failed_share: 1 }]);
    clock.advance(1);
    expect(await read()).toMatchObject({
      failing_count: 1,
      failing_midoffices: [unstable],
      unstable_count: 0,
      unstable_midoffices: [],
    });
  });

  test('failing midoffices are shown with their pending deliveries and last error', async () => {
    const { rig, owner, clock, stats, read, attempt } = await openStatsRig(await newDatabase());
    const failing = await rig.midoffice(NOWHERE, { name: 'Dead' });
    await rig.midoffice(NOWHERE, { name: 'Fine' });
    const first = await attempt(failing, { retryInMs: MINUTE_MS });
    clock.advance(1_000);
    const second = await attempt(failing, 'exhausted');
    await rig.store.queue.markFailing(failing.id, clock.now() - 1_000);
    await stats.flush();
    clock.advance(DOWN_AFTER_MS);
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
    const { rig, clock, read } = await openStatsRig(await newDatabase());
    const waiting = { 'Long, none': 0, 'Short, two': 2, 'Long, one': 1, 'Short, one': 1 };
    for (const [name, pending] of Object.entries(waiting)) {
      const midoffice = await rig.midoffice(NOWHERE, { name });
      await rig.accept(midoffice, Array(pending).fill('order'));
      await rig.store.queue.markFailing(midoffice.id, clock.now());
      clock.advance(1_000);
    }
    clock.advance(DOWN_AFTER_MS);
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
    const { rig, clock, read } = await openStatsRig(await newDatabase());
    const { keyId } = await rig.midoffice(NOWHERE);
    const copies = Array.from({ length: 25 }, (_, n) => ({ id: `mid_copy_${n}` }));
    const row = await rig.store.db.selectFrom('midoffice').selectAll().executeTakeFirstOrThrow();
    await rig.store.db
      .insertInto('midoffice')
      .values(copies.map(({ id }, n) => ({ ...row, id, failing_since: clock.now() + n })))
      .execute();
    expect(row.signing_key_id).toBe(keyId);
    const last = await rig.midoffice(NOWHERE, { name: 'Newest and worst' });
    await rig.accept(last, ['order']);
    await rig.store.queue.markFailing(last.id, clock.now() + 1_000);
    clock.advance(DOWN_AFTER_MS + 1_000);
    const { failing_count, failing_midoffices } = await read();
    expect(failing_count).toBe(26);
    expect(failing_midoffices).toHaveLength(20);
    expect(failing_midoffices[0]).toMatchObject({ name: 'Newest and worst', pending: 1 });
  });

  test('paused midoffices are shown with what waits for them', async () => {
    const { rig, read } = await openStatsRig(await newDatabase());
    const idle = await rig.midoffice(NOWHERE, { name: 'Idle' });
    const waited = await rig.midoffice(NOWHERE, { name: 'Waited for' });
    await rig.midoffice(NOWHERE, { name: 'Not paused' });
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
    const { rig, read } = await openStatsRig(await newDatabase());
    const midoffice = await rig.midoffice(NOWHERE);
    await updatePartner(rig.environment, 'Ann (tok_1)', midoffice.partnerId, {
      midoffice_id: null,
    });
    await rig.accept(midoffice, ['a', 'b']);
    expect(await read()).toMatchObject({ unrouted: 2, pending: 0 });
  });

  test('the refused keys are those of the span, whichever node refused them', async () => {
    const { rig, clock, read } = await openStatsRig(await newDatabase());
    const { keyId: often } = await rig.midoffice(NOWHERE);
    const { keyId: seldom } = await rig.midoffice(NOWHERE);
    let number = 0;
    const refuse = (writer: string, keyId: string, refused: number, hoursAgo: number) => {
      const hourMs = Math.floor(clock.now() / HOUR_MS - hoursAgo) * HOUR_MS;
      const counts = { admitted: 1, refused, failed: 0, peakCalls: 1, peakShare: 1 };
      const record = { keyId, endpoint: 'api/b2b/v3/overview/', hourMs, lastMs: hourMs, ...counts };
      return rig.store.usageHistory.add({
        writer,
        number: ++number,
        records: [record],
        apiKeys: [],
      });
    };
    await refuse('one node', often, 4, 0);
    await refuse('another node', often, 3, 0);
    await refuse('one node', seldom, 2, 0);
    await refuse('one node', seldom, 10, 5);
    await refuse('one node', often, 100, 6 * 24);
    await refuse('one node', often, 1_000, 30 * 24);
    await refuse('one node', seldom, 0, 0);
    const refused = async (span: StatsSpan) =>
      (await read(span)).limited_keys?.map((key) => [key.key_id, key.refused]);
    expect(await refused('hour')).toEqual([
      [often, 7],
      [seldom, 2],
    ]);
    expect(await refused('day')).toEqual([
      [seldom, 12],
      [often, 7],
    ]);
    expect(await refused('week')).toEqual([
      [often, 107],
      [seldom, 12],
    ]);
  });

  test('the ten latest changes are shown, newest first', async () => {
    const { rig, clock, read } = await openStatsRig(await newDatabase());
    for (let i = 0; i < 6; i++) {
      clock.advance(1_000);
      await rig.midoffice(NOWHERE, { name: `Midoffice ${i}` });
    }
    const { recent_changes } = await read();
    expect(recent_changes).toHaveLength(10);
    expect(recent_changes[0]?.at).toBe('2026-01-31T12:07:36.000Z');
  });
});
