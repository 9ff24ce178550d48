import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { EVENTS, MIDOFFICES, newEvent, newSender } from './webhook-bellhop.ts';

const STATS = '/support/v1/production/stats';
const SETTINGS = {
  ...LOOPBACK_RECEIVERS,
  BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1h',
};

type Counts = { delivered: number; failed_attempts: number; exhausted: number };

async function read({ support }: TestBellhop, span = 'hour') {
  return (await support('GET', `${STATS}?span=${span}`)).body;
}

function total(buckets: Counts[]): Counts {
  const sum = (name: keyof Counts) => buckets.reduce((all, one) => all + one[name], 0);
  return {
    delivered: sum('delivered'),
    failed_attempts: sum('failed_attempts'),
    exhausted: sum('exhausted'),
  };
}

describeOnEachEngine('stats', (start) => {
  test('200: counts delivered, failed and pending deliveries', async () => {
    const bellhop = await start(SETTINGS);
    const good = await startReceiver();
    const bad = await startReceiver(status(503));
    const happy = await newSender(bellhop, good.url);
    const sad = await newSender(bellhop, bad.url, { name: 'Sad' });
    const events = [newEvent(happy), newEvent(happy), newEvent(happy), newEvent(sad)];
    expect((await bellhop.support('POST', EVENTS, { events })).status).toBe(202);
    const stats = await eventually(
      () => read(bellhop),
      ({ buckets, unstable_midoffices: [failing] }) =>
        total(buckets).delivered + total(buckets).failed_attempts === 4 && failing?.last_error,
    );
    expect(total(stats.buckets)).toEqual({ delivered: 3, failed_attempts: 1, exhausted: 0 });
    expect(stats).toMatchObject({ success_rate: 0.75, pending: 1, in_flight: 0 });
    expect(Date.parse(stats.oldest_pending_at)).toBeGreaterThan(Date.now() - 60_000);
    // It has failed once, a moment ago.
    expect(stats.failing_midoffices).toEqual([]);
    expect(stats.unstable_midoffices).toEqual([
      {
        id: sad.midofficeId,
        name: 'Sad',
        failing_since: expect.any(String),
        pending: 1,
        last_error: 'The receiver answered 503; only 2xx counts as delivered.',
        failed_share: 1,
      },
    ]);
    expect(stats.recent_changes[0]).toMatchObject({ actor: 'admin (tok_first)' });
    for (const span of ['day', 'week']) {
      expect(total((await read(bellhop, span)).buckets).delivered).toBe(3);
    }
    const midoffice = await bellhop.support('GET', `${MIDOFFICES}/${sad.midofficeId}`);
    expect(midoffice.body).toMatchObject({
      name: 'Sad',
      pending: 1,
      oldest_pending_at: stats.oldest_pending_at,
      last_attempt: { delivery_id: expect.stringMatching(/^del_/), number: 1, status_code: 503 },
    });
    const sandbox = await bellhop.support('GET', '/support/v1/sandbox/stats');
    expect(sandbox.body).toMatchObject({ pending: 0, success_rate: null, failing_midoffices: [] });
  });
});

describe('stats', () => {
  test('422: for an unknown span', async () => {
    const { support } = await startBellhop({ BELLHOP_ROLES: 'back-office' });
    expect((await support('GET', `${STATS}?span=year`)).status).toBe(422);
    expect((await support('GET', STATS, undefined, 'wrong')).status).toBe(401);
  });

  test('200: lists keys whose calls were refused by a limit, also before a restart', async () => {
    const settings = { BELLHOP_DATA_DIR: await temporaryFolder() };
    const first = await startBellhop(settings);
    const key = await first.newKey('sandbox', { label: 'Busy' });
    await first.support('PUT', `/support/v1/sandbox/keys/${key.keyId}/endpoints`, {
      endpoint: 'api/b2b/v3/overview/',
      requests_number: 1,
      seconds_number: 3_600,
    });
    const { authorization } = key;
    const overview = `${first.addresses.sandbox}/api/b2b/v3/overview/`;
    for (const expected of [200, 429, 429]) {
      expect((await fetch(overview, { headers: { authorization } })).status).toBe(expected);
    }
    await first.stop();
    const bellhop = await startBellhop(settings);
    for (const span of ['hour', 'week']) {
      const { body } = await bellhop.support('GET', `/support/v1/sandbox/stats?span=${span}`);
      expect(body.limited_keys).toEqual([
        { key_id: key.keyId, label: 'Busy', partner_name: 'Test partner', refused: 2 },
      ]);
    }
    expect((await read(bellhop)).limited_keys).toEqual([]);
  });

  test('counts are kept when the server stops immediately afterwards', async () => {
    const settings = { ...SETTINGS, BELLHOP_DATA_DIR: await temporaryFolder() };
    const first = await startBellhop(settings);
    const receiver = await startReceiver();
    const sender = await newSender(first, receiver.url);
    await first.support('POST', EVENTS, { events: [newEvent(sender), newEvent(sender)] });
    await receiver.came(2);
    await first.stop();
    const second = await startBellhop(settings);
    expect(total((await read(second)).buckets)).toMatchObject({ delivered: 2 });
  });
});
