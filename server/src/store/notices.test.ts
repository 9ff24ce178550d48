/** Every cause of a notice, on both engines, and that it is told once, however many nodes see it. */
import { beforeAll, expect, test } from 'vitest';
import { describeOnEachStore, Rig, type TestMidoffice } from '../../testing/delivery-rig.ts';
import { QueueOwner } from '../../testing/queue-owner.ts';
import { DAY_MS, HOUR_MS } from '../gateway/usage-history/counts.ts';
import { inWords, type NoticeKind } from '../notices/kinds.ts';
import { updateKey } from '../resources/keys/change-key.ts';
import { rotateKey } from '../resources/keys/rotate-key.ts';
import { updateMidoffice } from '../resources/midoffices/change-midoffice.ts';
import { updatePartner } from '../resources/partners/change-partner.ts';
import { createLink } from '../resources/portal/create-link.ts';
import { exchangeLink } from '../resources/portal/sessions.ts';
import { NOTICES_KEPT_MS } from './notices.ts';
import { portalActor } from './portal-actor.ts';

const URL = 'http://127.0.0.1:9/hook?secret=1';
const MINUTE_MS = 60_000;
let batches = 0;

describeOnEachStore('notices', (newDatabase) => {
  let rig: Rig;
  let midoffice: TestMidoffice;
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    midoffice = await rig.midoffice(URL);
    return () => rig.close();
  });

  async function told({ partnerId } = midoffice): Promise<[NoticeKind, string][]> {
    const rows = await rig.store.db
      .selectFrom('notice')
      .selectAll()
      .where('partner_id', '=', partnerId)
      .orderBy('at')
      .orderBy('id')
      .execute();
    return rows.map((row) => [row.kind, `${inWords(row).subject}: ${inWords(row).text}`]);
  }
  const kinds = async (of = midoffice) => (await told(of)).map(([kind]) => kind);
  /** As if several nodes did it at the same moment. */
  const onThreeNodes = (work: () => Promise<void>) => Promise.all([work(), work(), work()]);
  const lookAtReceivers = () =>
    onThreeNodes(() => rig.store.housekeeping.noticeReceivers(rig.clock.now()));
  const lookAtKeys = () =>
    onThreeNodes(() => rig.store.housekeeping.noticeExpiring(rig.clock.now()));

  test('a receiver that fails for 15 minutes, and works again, once each time', async () => {
    const { queue } = rig.store;
    for (const time of ['first', 'second']) {
      midoffice = time === 'first' ? await rig.midoffice(URL) : midoffice;
      const before = (await kinds()).length;
      await queue.markFailing(midoffice.id, rig.clock.now());
      rig.clock.advance(15 * MINUTE_MS - 1);
      await lookAtReceivers();
      expect(await kinds()).toHaveLength(before);
      rig.clock.advance(1);
      await lookAtReceivers();
      await lookAtReceivers();
      expect((await kinds()).slice(before)).toEqual(['receiver_failing']);
      await queue.markFailing(midoffice.id, null);
      rig.clock.advance(1);
      await lookAtReceivers();
      await lookAtReceivers();
      expect((await kinds()).slice(before)).toEqual(['receiver_failing', 'receiver_recovered']);
    }
    const [[, failing], [, recovered]] = (await told()) as [[string, string], [string, string]];
    expect(failing).toContain('Every webhook to 127.0.0.1:9 has failed since 2026-01-31 12:00 UTC');
    expect(recovered).toContain('arrive again');
    expect(`${failing} ${recovered}`).not.toContain('secret');
  });

  test('a receiver that fails again before anyone has looked has worked in between', async () => {
    midoffice = await rig.midoffice(URL);
    await rig.store.queue.markFailing(midoffice.id, rig.clock.now());
    rig.clock.advance(15 * MINUTE_MS);
    await lookAtReceivers();
    await rig.store.queue.markFailing(midoffice.id, null);
    rig.clock.advance(1_000);
    await rig.store.queue.markFailing(midoffice.id, rig.clock.now());
    await lookAtReceivers();
    expect(await kinds()).toEqual(['receiver_failing', 'receiver_recovered']);
  });

  test('a failure shorter than 15 minutes is told to nobody, and a shared one to everybody', async () => {
    const [one, other] = [await rig.midoffice(URL), await rig.midoffice(URL)];
    await updatePartner(rig.environment, 'test', other.partnerId, { midoffice_id: one.id });
    await rig.store.queue.markFailing(one.id, rig.clock.now());
    rig.clock.advance(14 * MINUTE_MS);
    await rig.store.queue.markFailing(one.id, null);
    await lookAtReceivers();
    expect([await kinds(one), await kinds(other)]).toEqual([[], []]);
    await rig.store.queue.markFailing(one.id, rig.clock.now());
    rig.clock.advance(16 * MINUTE_MS);
    await lookAtReceivers();
    const failing = ['receiver_failing'];
    expect([await kinds(one), await kinds(other)]).toEqual([failing, failing]);
  });

  test('more receivers than are read at once', async () => {
    const many = 700;
    const some = await rig.midoffice(URL);
    const midofficeIds = Array.from({ length: many }, (_, n) => `mid_many_${n}`);
    const { db } = rig.store;
    const midofficeRow = await db
      .selectFrom('midoffice')
      .selectAll()
      .where('id', '=', some.id)
      .executeTakeFirstOrThrow();
    const partnerRow = await db
      .selectFrom('partner')
      .selectAll()
      .where('id', '=', some.partnerId)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('midoffice')
      .values(midofficeIds.map((id) => ({ ...midofficeRow, id })))
      .execute();
    await db
      .insertInto('partner')
      .values(midofficeIds.map((id) => ({ ...partnerRow, id: `par_${id}`, midoffice_id: id })))
      .execute();
    const failSince = (ms: number | null) =>
      db
        .updateTable('midoffice')
        .set({ failing_since: ms })
        .where('id', 'in', midofficeIds)
        .execute();
    const count = async (kind: NoticeKind) =>
      (
        await db
          .selectFrom('notice')
          .select('id')
          .where('kind', '=', kind)
          .where('partner_id', 'like', 'par_mid_many_%')
          .execute()
      ).length;
    await failSince(rig.clock.now());
    rig.clock.advance(15 * MINUTE_MS);
    await lookAtReceivers();
    expect(await count('receiver_failing')).toBe(many);
    await failSince(null);
    await lookAtReceivers();
    await lookAtReceivers();
    expect(await count('receiver_recovered')).toBe(many);
    expect(await count('receiver_failing')).toBe(many);
  });

  test('exhausted deliveries, at most once an hour, also over the turn of an hour', async () => {
    midoffice = await rig.midoffice(URL);
    const owner = await QueueOwner.of(rig);
    const exhaust = async (orders: string[]) => {
      await rig.accept(midoffice, orders);
      await owner.settle(await owner.begin({ [midoffice.id]: 100 }), 'exhausted');
    };
    rig.clock.advance(HOUR_MS - (rig.clock.now() % HOUR_MS) + 55 * MINUTE_MS);
    await exhaust(['A-1\r\n\r\nhttp://evil.example', 'A-2']);
    expect(await told()).toEqual([
      [
        'deliveries_exhausted',
        expect.stringMatching(
          /^Webhooks were given up: .* order A-1 http:\/\/evil.example have failed/,
        ),
      ],
    ]);
    rig.clock.advance(10 * MINUTE_MS);
    await exhaust(['A-3']);
    expect(await kinds()).toHaveLength(1);
    rig.clock.advance(50 * MINUTE_MS);
    await exhaust(['A-4']);
    expect(await kinds()).toHaveLength(2);
  });

  test('80 % and 100 % of a limit, once a day for each key and endpoint', async () => {
    midoffice = await rig.midoffice(URL);
    const { keyId } = midoffice;
    const use = (endpoint: string, peakShare: number | null, refused = 0) => {
      rig.clock.advance(1);
      return rig.store.usageHistory.add({
        writer: `node ${++batches}`,
        number: 1,
        apiKeys: [],
        records: [
          {
            keyId,
            endpoint,
            hourMs: rig.clock.now(),
            lastMs: rig.clock.now(),
            ...{ admitted: 1, refused, failed: 0, peakCalls: 1, peakShare },
          },
        ],
      });
    };
    await use('overview/', 0.79);
    await use('hotel/info/', null);
    expect(await kinds()).toEqual([]);
    await use('overview/', 0.8);
    await use('overview/', 0.99);
    await use('overview/', 1);
    await use('overview/', 1, 20);
    await use('hotel/info/', 1);
    const subjects = (await told()).map(([kind, text]) => `${kind} ${text.split(':')[0]}`);
    // Also if both are reached at once.
    expect(subjects.sort()).toEqual([
      'limit_reached 80 % of a limit is used',
      'limit_reached 80 % of a limit is used',
      'limit_reached A limit is used up',
      'limit_reached A limit is used up',
    ]);
    rig.clock.advance(DAY_MS);
    await use('overview/', 0.9);
    expect(await kinds()).toHaveLength(5);
  });

  test('a key that expires in 14 days and in 3, and another date anew', async () => {
    midoffice = await rig.midoffice(URL);
    const { keyId } = midoffice;
    const expire = (days: number) =>
      updateKey(rig.environment, 'test', keyId, {
        expires_at: new Date(rig.clock.now() + days * DAY_MS).toISOString(),
      });
    await expire(15);
    await lookAtKeys();
    expect(await kinds()).toEqual([]);
    rig.clock.advance(DAY_MS);
    await lookAtKeys();
    await lookAtKeys();
    expect(await told()).toEqual([
      ['key_expires', expect.stringContaining('in less than 14 days')],
    ]);
    rig.clock.advance(11 * DAY_MS);
    await lookAtKeys();
    expect(await kinds()).toHaveLength(2);
    await expire(2);
    await lookAtKeys();
    const texts = (await told()).map(([, text]) => text);
    expect(texts).toHaveLength(3);
    expect(texts[2]).toContain('in less than 3 days');
    rig.clock.advance(3 * DAY_MS);
    await lookAtKeys();
    expect(await kinds()).toHaveLength(3);
  });

  test('a replaced API key, another URL and a sign-in by link, each together with it', async () => {
    midoffice = await rig.midoffice(URL);
    const { environment } = rig;
    const other = await rig.midoffice(URL);
    const partner = portalActor({ id: midoffice.partnerId, name: 'Test partner' });
    await rotateKey(environment, partner, midoffice.keyId, {});
    rig.clock.advance(1);
    await updateMidoffice(environment, 'Ann (tok_1)', midoffice.id, {
      url: 'http://127.0.0.1:10/hook?secret=2',
    });
    rig.clock.advance(1);
    await updateMidoffice(environment, 'Ann (tok_1)', midoffice.id, { paused: true });
    const { url } = await createLink(environment, 'Ann (tok_1)', midoffice.partnerId, {
      scopes: ['read'],
    });
    await exchangeLink(environment, url?.split('/').at(-1) as string, '192.0.2.7');
    const texts = (await told()).map(([, text]) => text);
    expect(texts).toEqual([
      expect.stringContaining('Somebody of yours, in the portal, replaced the API key'),
      expect.stringContaining(
        'API support changed the URL of your receiver. Webhooks now go to 127.0.0.1:10.',
      ),
      expect.stringContaining('from 192.0.2.7'),
    ]);
    expect(await kinds(other)).toEqual([]);
    const failed = rotateKey(environment, partner, 'unknown', {});
    await expect(failed).rejects.toMatchObject({ code: 'key_not_found' });
  });

  test('are deleted after 90 days', async () => {
    const count = async () =>
      (await rig.store.db.selectFrom('notice').select('id').execute()).length;
    expect(await count()).toBeGreaterThan(10);
    rig.clock.advance(NOTICES_KEPT_MS - DAY_MS);
    const newest = await rig.midoffice(URL);
    await rotateKey(rig.environment, 'test', newest.keyId, {});
    rig.clock.advance(DAY_MS + 1);
    while (await rig.store.housekeeping.deleteOldNotices(rig.clock.now()));
    expect(await count()).toBe(1);
  });
});
