/** What the lists of partners, keys and midoffices can be narrowed to, on both engines. */
import { EXPIRING_DAYS, ordersOf, turned, UNUSED_DAYS } from '@bellhop/rules/lists';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnEachStore, type Rig } from '../../testing/delivery-rig.ts';
import { NOWHERE, openStatsRig } from '../../testing/stats-rig.ts';
import { status } from '../../testing/webhook-receiver.ts';
import { DAY_MS } from '../gateway/usage-history/counts.ts';
import { revokeKey, updateKey } from './keys/change-key.ts';
import { createKey } from './keys/create-key.ts';
import { countListedKeys, listKeys } from './keys/key.ts';
import { updateMidoffice } from './midoffices/change-midoffice.ts';
import { countListedMidoffices, listMidoffices } from './midoffices/show-midoffices.ts';
import { sendTestEvent } from './midoffices/test-event.ts';
import { NAMES_LOOKED_UP } from './name-queries.ts';
import { certifyPartner, createPartner, updatePartner } from './partners/change-partner.ts';
import { countListedPartners, listPartners } from './partners/list-partners.ts';

const ANN = 'Ann (tok_1)';

function newPartner({ environment }: Rig, name: string) {
  const input = { name, integration_started_on: '2025-11-01', is_new: true };
  return createPartner(environment, ANN, input);
}

describeOnEachStore('a list can be narrowed to', (newDatabase) => {
  test('partners that are suspended, not certified, without a midoffice, or of one midoffice', async () => {
    const { rig, clock } = await openStatsRig(await newDatabase());
    const { environment } = rig;
    const midoffice = await rig.midoffice(NOWHERE);
    const certified = await newPartner(rig, 'Certified');
    await certifyPartner(environment, ANN, certified.id, { reference: 'C-1' });
    clock.advance(1);
    const suspended = await newPartner(rig, 'Suspended');
    await updatePartner(environment, ANN, suspended.id, {
      suspended: true,
      midoffice_id: midoffice.id,
    });
    await rig.accept(midoffice, ['one', 'two']);
    const named = async (query: Parameters<typeof listPartners>[1]) => {
      const { items } = await listPartners(environment, { ...query, name: 'ed' });
      expect(await countListedPartners(environment, { ...query, name: 'ed' })).toEqual({
        count: items.length,
        is_exact: true,
      });
      return items.map(({ name }) => name);
    };
    expect(await named({})).toEqual(['Suspended', 'Certified']);
    expect(await named({ only: 'suspended' })).toEqual(['Suspended']);
    expect(await named({ only: 'uncertified' })).toEqual(['Suspended']);
    expect(await named({ only: 'without_midoffice' })).toEqual(['Certified']);
    expect(await named({ midoffice_id: midoffice.id })).toEqual(['Suspended']);
    const { items } = await listPartners(environment, { only: 'suspended' });
    expect(items[0]).toMatchObject({ midoffice_health: 'untested', midoffice_pending: 2 });
  });

  test('keys by what they can still be used for, by expiry and by their last call', async () => {
    const { rig, clock } = await openStatsRig(await newDatabase());
    const { environment, store } = rig;
    const { id } = await newPartner(rig, 'Partner');
    const old = clock.now();
    const labelled = (label: string, expiresInDays?: number) =>
      createKey(environment, ANN, id, {
        label,
        ...(expiresInDays !== undefined && {
          expires_at: new Date(old + expiresInDays * DAY_MS).toISOString(),
        }),
      });
    const day = UNUSED_DAYS;
    const used = await labelled('used');
    await labelled('expired', day - 1);
    await labelled('expires soon', day + EXPIRING_DAYS);
    await labelled('expires later', day + EXPIRING_DAYS + 1);
    const disabled = await labelled('disabled');
    const revoked = await labelled('revoked');
    clock.advance(day * DAY_MS);
    await updateKey(environment, ANN, disabled.key_id, { disabled: true });
    await revokeKey(environment, ANN, revoked.key_id, {});
    await labelled('new');
    const record = { admitted: 1, refused: 0, failed: 0, peakCalls: null, peakShare: null };
    const hourMs = clock.now() - (clock.now() % 3_600_000);
    await store.usageHistory.add({
      writer: 'test',
      number: 1,
      records: [
        { keyId: used.key_id, endpoint: 'api/b2b/v3/overview/', hourMs, lastMs: hourMs, ...record },
      ],
      apiKeys: [],
    });

    const labels = async (query: Parameters<typeof listKeys>[1]) => {
      const { items } = await listKeys(environment, query);
      return items.map(({ label }) => label);
    };
    const active = ['expires later', 'expires soon', 'new', 'used'];
    expect((await labels({ only: 'active' })).sort()).toEqual(active);
    expect(await labels({ only: 'expiring' })).toEqual(['expires soon']);
    expect(await labels({ only: 'expired' })).toEqual(['expired']);
    expect((await labels({ only: 'unused' })).sort()).toEqual([
      'expired',
      'expires later',
      'expires soon',
    ]);
    expect(await labels({ only: 'disabled' })).toEqual(['disabled']);
    expect(await labels({ only: 'revoked', partner_id: id })).toEqual(['revoked']);
    expect(await countListedKeys(environment, { only: 'active' })).toMatchObject({ count: 4 });
    const [longest] = (await listKeys(environment, { only: 'active', sort: '-last_used_on' }))
      .items;
    expect(longest).toMatchObject({ label: 'new', last_used_on: null });
    const { items } = await listKeys(environment, { only: 'active', sort: 'last_used_on' });
    expect(items.find(({ label }) => label === 'used')?.last_used_on).toBe(
      new Date(clock.now()).toISOString().slice(0, 10),
    );
  });

  test('midoffices that are paused, or failing as their health says', async () => {
    const { rig, clock } = await openStatsRig(await newDatabase());
    const { environment, store } = rig;
    const refusing = await rig.receiver(status(500));
    const fine = await rig.midoffice(NOWHERE);
    const failing = await rig.midoffice(NOWHERE);
    await store.queue.markFailing(failing.id, clock.now());
    clock.advance(1);
    const untried = await rig.midoffice(refusing.url);
    await sendTestEvent(environment, ANN, untried.id);
    await updateMidoffice(environment, ANN, fine.id, { paused: true });

    const all = await listMidoffices(environment, {});
    const judged = all.items.filter(({ health }) => health === 'failing').map(({ id }) => id);
    expect(judged.sort()).toEqual([failing.id, untried.id].sort());
    const found = await listMidoffices(environment, { only: 'failing' });
    expect(found.items.map(({ id }) => id)).toEqual([untried.id, failing.id]);
    const first = await listMidoffices(environment, { only: 'failing', limit: 1 });
    const second = await listMidoffices(environment, {
      only: 'failing',
      limit: 1,
      cursor: first.next_cursor ?? '',
    });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([untried.id, failing.id]);
    expect(second.next_cursor).toBeNull();
    expect(await countListedMidoffices(environment, { only: 'failing' })).toMatchObject({
      count: 2,
    });
    const paused = await listMidoffices(environment, { only: 'paused' });
    expect(paused.items.map(({ id }) => id)).toEqual([fine.id]);
  });

  test('midoffices with exhausted deliveries that nobody has acknowledged', async () => {
    const { rig, clock } = await openStatsRig(await newDatabase());
    const { environment, store } = rig;
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      clock.advance(1);
      ids.push((await rig.midoffice(NOWHERE)).id);
    }
    const [oldest = '', , newest = ''] = ids;
    const giveUp = (seq: number, midoffice_id: string, acknowledged_at: number | null) =>
      store.db
        .insertInto('given_up')
        .values({ seq, midoffice_id, state: 'exhausted', at: clock.now(), acknowledged_at })
        .execute();
    await giveUp(1, oldest, null);
    await giveUp(2, oldest, null);
    await giveUp(3, ids[1] ?? '', clock.now());
    await giveUp(4, newest, null);

    const only = 'with_exhausted';
    const idsOf = async (query: Parameters<typeof listMidoffices>[1]) =>
      (await listMidoffices(environment, query)).items.map(({ id }) => id);
    expect(await idsOf({ only })).toEqual([newest, oldest]);
    expect(await idsOf({ only, sort: 'id' })).toEqual([oldest, newest]);
    const { next_cursor } = await listMidoffices(environment, { only, limit: 1 });
    expect(await idsOf({ only, limit: 1, cursor: next_cursor ?? '' })).toEqual([oldest]);
    await updateMidoffice(environment, ANN, oldest, { name: 'Nordlys' });
    // The first page of ids has none of that name.
    expect(await idsOf({ only, name: 'nord', limit: 1 })).toEqual([oldest]);
    expect(await countListedMidoffices(environment, { only })).toMatchObject({ count: 2 });
    expect(await countListedMidoffices(environment, { only, name: 'nord' })).toMatchObject({
      count: 1,
    });
  });

  test('such midoffices of a name, among so many of them that the search ends', async () => {
    const { rig } = await openStatsRig(await newDatabase());
    const { environment, store } = rig;
    await rig.midoffice(NOWHERE);
    const numbers = `(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n <= ${NAMES_LOOKED_UP})
                      select n, cast(n + 10000000 as text) as id from numbers) as numbers`;
    await sql`insert into midoffice (id, name, url, signing_key_id, body_form, delivery_order, max_in_flight, paused, created_at)
              select 'mid_' || id, case when n < 3 then 'Rare ' || n else 'Many' end, '', (select key_id from api_key), 'data', 'any', 16,
                     0, n from ${sql.raw(numbers)}`.execute(store.db);
    await sql`insert into given_up (seq, midoffice_id, state, at)
              select n, 'mid_' || id, 'exhausted', 0 from ${sql.raw(numbers)}`.execute(store.db);

    const only = 'with_exhausted';
    const named = async (name: string, sort: '-id' | 'id' = '-id') => {
      const { items } = await listMidoffices(environment, { only, name, sort, limit: 1 });
      return items.map((one) => one.name);
    };
    // From the newest one, the second is the last that is looked at.
    expect(await named('rare')).toEqual(['Rare 2']);
    expect(await named('rare', 'id')).toEqual(['Rare 1']);
    expect(await named('rare 1')).toEqual([]);
    expect(await countListedMidoffices(environment, { only, name: 'rare' })).toMatchObject({
      count: 1,
    });
    expect(await countListedMidoffices(environment, { only })).toMatchObject({
      count: NAMES_LOOKED_UP + 1,
    });
  });

  test('in any of its orders, page by page, and from its end the other way round', async () => {
    const { rig } = await openStatsRig(await newDatabase());
    const { environment } = rig;
    const { id } = await newPartner(rig, 'Partner');
    for (let n = 0; n < 5; n++) await createKey(environment, ANN, id, { label: `key ${n}` });
    const readAll = async (query: Parameters<typeof listKeys>[1]) => {
      const ids: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await listKeys(environment, {
          ...query,
          limit: 2,
          cursor: cursor ?? undefined,
        });
        ids.push(...page.items.map(({ key_id }) => key_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return ids;
    };
    for (const sort of ordersOf('keys', 'active')) {
      const there = await readAll({ only: 'active', sort });
      expect(there).toHaveLength(5);
      const back = await readAll({ only: 'active', sort: turned(sort) as typeof sort });
      expect(back).toEqual(there.toReversed());
    }
    await expect(listKeys(environment, { only: 'expiring', sort: 'created_at' })).rejects.toThrow(
      /must be one of expires_at, -expires_at with only=expiring/,
    );
  });
});
