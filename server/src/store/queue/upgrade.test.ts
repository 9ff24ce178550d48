/** A database of the version before, opened and worked off by this one. */

import { createVerifier } from '@bellhop/partner';
import { expect, onTestFinished, test } from 'vitest';
import { Condition } from '../../../testing/condition.ts';
import {
  describeWithOldDatabase,
  type OldDatabase,
  RETRY_SCHEDULE,
  type Row,
  vault,
} from '../../../testing/databases/old-database.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { LOOPBACK_RECEIVERS } from '../../../testing/settings.ts';
import { type Answer, startReceiver, status } from '../../../testing/webhook-receiver.ts';
import { readConfig } from '../../config/config.ts';
import { createLogger } from '../../logging/logger.ts';
import { Metrics } from '../../metrics.ts';
import { openOrderWebhooks } from '../../order-webhooks.ts';
import type { AcceptedEvent } from '../../orders/order-event.ts';
import { openPostgresStore } from '../postgres/open.ts';
import { openSqliteStore } from '../sqlite/open.ts';
import type { Store } from '../store.ts';

const ATTEMPTS = 'select * from attempt order by delivery_seq, number';

const DUE_AT_ONCE = [
  'by hand',
  'by hand under way',
  'first under way',
  'never signed',
  'never tried 1',
  'never tried 2',
  'only one of D',
  'recovered',
  'revived under way',
  'second behind it',
  'under way',
  'under way and asked for',
];
const DUE_AFTER_A_MINUTE = [
  'first of A',
  'first of the other A',
  'fourth of A',
  'second of A',
  'second of the other A',
  'signed with the earlier key',
  'third of A',
  'waits for its first retry',
];
const PAUSED = ['paused 1', 'paused 2'];

describeWithOldDatabase('a database of the previous version', (freshOld) => {
  test('delivers each pending delivery once when it is due, and nothing else', async () => {
    const old = await freshOld();
    const deliveries = await old.query('select * from delivery order by seq');
    const attempts = await old.query(ATTEMPTS);
    const receiver = await receiveAll(old);
    const node = await openNode(old);
    await node.start();

    await node.settled(DUE_AT_ONCE.length);
    expect(receiver.events().sort()).toEqual(DUE_AT_ONCE);
    node.clock.advance(54_999);
    await node.settled(DUE_AT_ONCE.length);
    node.clock.advance(1);
    const afterAMinute = DUE_AT_ONCE.length + DUE_AFTER_A_MINUTE.length;
    await node.settled(afterAMinute);
    expect(receiver.events().slice(DUE_AT_ONCE.length).sort()).toEqual(DUE_AFTER_A_MINUTE);
    node.clock.advance(10 * 60_000);
    await node.settled(afterAMinute + 1);
    expect(receiver.events().at(-1)).toBe('waits for its second retry');
    node.clock.advance(7 * 86_400_000);
    await node.stop();

    expect(receiver.inOrder(['first under way', 'second behind it'])).toBe(true);
    expect(receiver.inOrder(['first of the other A', 'second of the other A'])).toBe(true);
    const orderA = ['first of A', 'second of A', 'third of A', 'fourth of A'];
    expect(receiver.inOrder(orderA)).toBe(true);
    const left = await old.query(
      'select d.event_id from pending p join delivery d on d.seq = p.seq',
    );
    expect(left.map((row) => row.event_id).sort()).toEqual(PAUSED);

    await old.query('update midoffice set paused = 0');
    const next = await openNode(old, node.clock.now());
    await next.start();
    await next.settled(PAUSED.length);
    await next.stop();
    const pending = deliveries.filter((row) => row.state === 'pending');
    expect(receiver.events().sort()).toEqual(pending.map((row) => row.event_id).sort());
    expect(await old.query('select * from pending')).toEqual([]);
    expect(await old.query('select * from given_up')).toHaveLength(4);

    // One more attempt each, numbered on from the last; what there was is as it was.
    const now = await old.query(ATTEMPTS);
    const isOld = (row: Row) =>
      attempts.some((one) => one.delivery_seq === row.delivery_seq && one.number === row.number);
    expect(now.filter(isOld)).toEqual(attempts);
    const added = now.filter((row) => !isOld(row));
    expect(
      added.map(({ delivery_seq, number, outcome }) => ({ delivery_seq, number, outcome })),
    ).toEqual(
      pending.map(({ seq, attempts_made }) => {
        return { delivery_seq: seq, number: attempts_made + 1, outcome: 'delivered' };
      }),
    );
  });

  test('signs with the key that a receiver accepted, or with the one not tried yet', async () => {
    const old = await freshOld();
    const [key] = await old.query(
      `select * from api_key where key_id = '${old.facts.keys.rotating}'`,
    );
    const receiver = await receiveAll(old);
    const node = await openNode(old);
    await node.start();
    await node.settled(DUE_AT_ONCE.length);
    const signedWith = async (event: string, sealed: string) => {
      const { body } = receiver.received.find((one) => one.eventId === event) as { body: string };
      const apiKey = vault.open(key?.key_id, sealed);
      return createVerifier({ apiKey, now: () => node.clock.now() }).verify(body);
    };
    expect(await signedWith('never signed', key?.previous_sealed_key)).toMatchObject({ ok: true });
    expect(await signedWith('never signed', key?.sealed_key)).toMatchObject({ ok: false });
    node.clock.advance(55_000);
    await node.settled(DUE_AT_ONCE.length + DUE_AFTER_A_MINUTE.length);
    const retried = 'signed with the earlier key';
    expect(await signedWith(retried, key?.sealed_key)).toMatchObject({ ok: true });
    expect(await signedWith(retried, key?.previous_sealed_key)).toMatchObject({ ok: false });
  });

  test('uses no step of the schedule for a requested attempt that was in flight', async () => {
    const old = await freshOld();
    await receiveAll(old, status(500));
    const node = await openNode(old);
    await node.start();
    // The event behind one that failed is not tried.
    await node.settled(DUE_AT_ONCE.length - 1);
    const rows = await old.query(`select d.event_id, p.due_at, p.retries_used, p.scheduled_at
      from pending p join delivery d on d.seq = p.seq
     where d.event_id in ('by hand under way', 'by hand', 'under way', 'recovered') order by 1`);
    const inAMinute = { due_at: node.clock.now() + 60_000, scheduled_at: null, retries_used: 1 };
    const asScheduled = { ...inAMinute, due_at: node.clock.now() + 55_000 };
    expect(rows).toEqual([
      { event_id: 'by hand', ...asScheduled },
      { event_id: 'by hand under way', ...asScheduled },
      { event_id: 'recovered', ...inAMinute },
      { event_id: 'under way', ...inAMinute },
    ]);
  });

  test('recognizes every accepted event, and continues the numbering', async () => {
    const old = await freshOld();
    const deliveries = await old.query('select * from delivery order by seq');
    const node = await openNode(old);
    const again = deliveries.map(({ event_id, type, partner_id, partner_order_id }) => {
      return { event_id, type, partner_id, partner_order_id };
    });
    expect(await node.accept(again)).toEqual(
      deliveries.map(({ event_id, seq }) => {
        return { event_id, outcome: 'duplicate', delivery_id: `del_${seq}` };
      }),
    );
    const [first] = again;
    expect(await node.accept([{ ...first, event_id: 'a new one' }])).toMatchObject([
      { outcome: 'queued', delivery_id: `del_${old.facts.last_seq + 1}` },
    ]);
  });
});

/** A receiver for all midoffices of the database; resolves once their addresses are its own. */
async function receiveAll(old: OldDatabase, answer?: Answer) {
  const { url, received } = await startReceiver(answer);
  await old.query(`update midoffice set url = '${url}'`);
  const eventIds = () =>
    received.map(({ headers }) => decodeURIComponent(headers['webhook-id'] as string));
  return {
    get received() {
      const ids = eventIds();
      return received.map((webhook, i) => ({ ...webhook, eventId: ids[i] }));
    },
    events: eventIds,
    inOrder(events: readonly string[]) {
      const came = eventIds().filter((id) => events.includes(id));
      return came.join() === events.join();
    },
  };
}

async function openNode(old: OldDatabase, nowMs = old.facts.now) {
  const clock = new ManualClock(nowMs);
  const store = await openStore(old, clock);
  const lines: Row[] = [];
  const logged = new Condition();
  const log = createLogger('info', (line) => {
    lines.push(JSON.parse(line));
    logged.look();
  });
  const delivery = openOrderWebhooks({
    environment: 'production',
    settings: readConfig({
      ...LOOPBACK_RECEIVERS,
      BELLHOP_PRODUCTION_RETRY_SCHEDULE: RETRY_SCHEDULE,
    }).production,
    alertUrl: undefined,
    store,
    vault,
    clock,
    log,
    metrics: new Metrics(),
  });
  let running: { stop(): Promise<void> } | undefined;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      await running?.stop();
      await delivery.close();
      await store.close();
    })();
    return stopped;
  };
  onTestFinished(stop);
  return {
    clock,
    stop,
    async start() {
      running = await delivery.start();
    },
    async accept(events: object[]): Promise<AcceptedEvent[]> {
      const verdict = await delivery.accept(events as Parameters<typeof delivery.accept>[0]);
      if ('rejection' in verdict) throw new Error(JSON.stringify(verdict.rejection));
      return verdict.results;
    },
    /** Resolves once this many attempts are settled in all, and fails if there are more. */
    async settled(count: number) {
      const attempts = () => lines.filter((line) => line.delivery_id && line.attempt > 0).length;
      await logged.until(() => attempts() >= count);
      expect(attempts()).toBe(count);
    },
  };
}

function openStore(old: OldDatabase, clock: ManualClock): Promise<Store> {
  const shared = { environment: 'production', vault, clock } as const;
  const log = createLogger('silent', () => {});
  return old.engine === 'sqlite'
    ? openSqliteStore({ ...shared, folder: old.where })
    : openPostgresStore({ ...shared, url: old.where, log });
}
