/** A midoffice as the worker sees it, and what the worker notes about it. */
import { expect, test } from 'vitest';
import { shardOf } from '../../../src/delivery/queue.ts';
import { rotateKey } from '../../../src/resources/keys/rotate-key.ts';
import { updateMidoffice } from '../../../src/resources/midoffices/change-midoffice.ts';
import type { NewDatabase } from '../../delivery-rig.ts';
import { shareQueue, URL } from './setup.ts';

export function lanesConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);

  test('has its URL, body form, limits and keys', async () => {
    const { rig, midoffice } = await open({
      body_form: 'both',
      delivery_order: 'per_order',
      max_in_flight: 3,
      max_per_second: 7,
    });
    const other = await rig.midoffice(URL);
    const { sealed_key, digest } = await rig.store.db
      .selectFrom('api_key')
      .selectAll()
      .where('key_id', '=', midoffice.keyId)
      .executeTakeFirstOrThrow();
    const lanes = () => rig.store.queue.lanes([midoffice.id]);
    expect(await lanes()).toEqual([
      {
        midoffice_id: midoffice.id,
        shard: shardOf(midoffice.id),
        url: URL,
        body_form: 'both',
        ordered: true,
        restating: false,
        max_in_flight: 3,
        max_per_second: 7,
        headers: null,
        client_certificate: null,
        paused: false,
        failing_since: null,
        signingKey: {
          key_id: midoffice.keyId,
          current: { sealed: sealed_key, fingerprint: digest.slice(0, 12) },
          previous: [],
        },
        worked_key: null,
      },
    ]);
    const both = await rig.store.queue.lanes([midoffice.id, 'mid_none', other.id]);
    expect(both.map(({ midoffice_id }) => midoffice_id).sort()).toEqual(
      [midoffice.id, other.id].sort(),
    );
    expect(await rig.store.queue.lanes(['mid_none'])).toEqual([]);
    expect(await rig.store.queue.lanes([])).toEqual([]);

    await updateMidoffice(rig.environment, 'test', midoffice.id, {
      paused: true,
      max_in_flight: 9,
      max_per_second: null,
    });
    await rotateKey(rig.environment, 'test', midoffice.keyId, { overlap_seconds: 60 });
    const untilMs = rig.clock.now() + 60_000;
    const first = { sealed: sealed_key, fingerprint: digest.slice(0, 12), untilMs };
    expect(await lanes()).toMatchObject([
      { paused: true, max_in_flight: 9, max_per_second: null, signingKey: { previous: [first] } },
    ]);

    const [lane] = await lanes();
    await rotateKey(rig.environment, 'test', midoffice.keyId, { overlap_seconds: 30 });
    const second = { ...lane?.signingKey.current, untilMs: rig.clock.now() + 30_000 };
    expect(await lanes()).toMatchObject([{ signingKey: { previous: [second, first] } }]);
  });

  test('has the key that its receiver last accepted', async () => {
    const { rig, midoffice } = await open();
    for (const key of ['first', 'second']) {
      await rig.store.queue.markWorked(midoffice.id, key);
      expect(await rig.store.queue.lanes([midoffice.id])).toMatchObject([{ worked_key: key }]);
    }
  });

  test('is failing from the first failure to the next delivery, with one alert', async () => {
    const { rig, midoffice } = await open();
    const row = () =>
      rig.store.db
        .selectFrom('midoffice')
        .select(['failing_since', 'alerted_at'])
        .where('id', '=', midoffice.id)
        .executeTakeFirstOrThrow();
    await rig.store.queue.markFailing(midoffice.id, 5_000);
    expect(await row()).toEqual({ failing_since: 5_000, alerted_at: null });
    expect(await rig.store.queue.lanes([midoffice.id])).toMatchObject([{ failing_since: 5_000 }]);
    await rig.store.db
      .updateTable('midoffice')
      .set({ alerted_at: 6_000 })
      .where('id', '=', midoffice.id)
      .execute();
    // The next owner notices later that it fails: that is the same incident.
    await rig.store.queue.markFailing(midoffice.id, 7_000);
    expect(await row()).toEqual({ failing_since: 5_000, alerted_at: 6_000 });
    await rig.store.queue.markFailing(midoffice.id, null);
    expect(await row()).toEqual({ failing_since: null, alerted_at: null });
  });
}
