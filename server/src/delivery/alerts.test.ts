/** The alerts that reach `BELLHOP_ALERT_URL`. */
import { describe, expect, test } from 'vitest';
import { freshFolder, Rig } from '../../testing/delivery-rig.ts';
import { sampleOf } from '../../testing/prometheus.ts';
import { startReceiver, status } from '../../testing/webhook-receiver.ts';

const HOUR = 3_600_000;

describe('alerts', () => {
  test('go to the configured URL: one for all exhausted deliveries of a midoffice, one for each failing midoffice', async () => {
    const people = await startReceiver();
    const rig = await Rig.open(await freshFolder(), {
      alertUrl: people.url,
      settings: { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1s' },
    });
    const receiver = await rig.receiver(status(500));
    const one = await rig.midoffice(receiver.url);
    const other = await rig.midoffice(receiver.url);
    await rig.start();
    const ids = await rig.accept(
      one,
      Array.from({ length: 30 }, (_, n) => `order ${n}`),
    );
    const [second] = await rig.accept(other, ['order']);
    await rig.settled(31);
    rig.clock.advance(1_000);
    await rig.settled(62);
    expect(await rig.states([...ids, second as string])).toEqual(Array(31).fill('exhausted'));
    expect(people.received).toEqual([]);
    rig.clock.advance(5_000);
    await people.came(2);
    const told = new Map(people.received.map(({ json }) => [json.midoffice_id, json]));
    expect(told.get(one.id)).toEqual({
      environment: 'production',
      at: expect.any(String),
      alert: 'delivery_exhausted',
      midoffice_id: one.id,
      delivery_ids: expect.any(Array),
      text: `30 deliveries to midoffice ${one.id} used up every retry. Repair the receiver, then recover the midoffice.`,
    });
    const named: string[] = told.get(one.id).delivery_ids;
    expect(named).toHaveLength(20);
    expect(ids).toEqual(expect.arrayContaining(named));
    expect(told.get(other.id)).toMatchObject({
      delivery_ids: [second],
      text: expect.stringMatching(/^1 delivery to midoffice /),
    });

    rig.clock.advance(HOUR);
    await people.came(4);
    expect(
      people.received
        .slice(2)
        .map(({ json }) => [json.alert, json.midoffice_id])
        .sort(),
    ).toEqual([one.id, other.id].sort().map((id) => ['midoffice_failing', id]));
    expect(sampleOf(rig.metrics, 'bellhop_alerts_total', { alert: 'delivery_exhausted' })).toBe(2);
    expect(sampleOf(rig.metrics, 'bellhop_alerts_total', { alert: 'midoffice_failing' })).toBe(2);
  });

  test('are sent again if they are not accepted', async () => {
    const people = await startReceiver((webhook, response, request) =>
      status(people.received.length < 3 ? 503 : 200)(webhook, response, request),
    );
    const rig = await Rig.open(await freshFolder(), {
      alertUrl: people.url,
      settings: { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1s' },
    });
    const receiver = await rig.receiver(status(500));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(midoffice, ['order']);
    await rig.settled(1);
    rig.clock.advance(1_000);
    await rig.settled(2);
    rig.clock.advance(5_000);
    await people.came(3);
    expect(new Set(people.received.map(({ body }) => body)).size).toBe(1);
    expect(people.received[0]?.json).toMatchObject({ alert: 'delivery_exhausted' });
  });

  test('that are still being gathered are sent before a stop', async () => {
    const people = await startReceiver();
    const rig = await Rig.open(await freshFolder(), {
      alertUrl: people.url,
      settings: { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1s' },
    });
    const receiver = await rig.receiver(status(500));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(midoffice, ['order']);
    await rig.settled(1);
    rig.clock.advance(1_000);
    await rig.settled(2);
    expect(people.received).toEqual([]);
    await rig.stop();
    expect(people.received.map(({ json }) => json.alert)).toEqual(['delivery_exhausted']);
  });
});
