/** The first page of the portal: each part as its own call shows it, and what counts as now. */
import { expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../testing/delivery-rig.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { refusedCall } from '../../testing/recorded-calls.ts';
import { DAY_MS, HOUR_MS } from '../gateway/usage-history/counts.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { revokeKey } from '../resources/keys/change-key.ts';
import { createKey } from '../resources/keys/create-key.ts';
import { updatePartner } from '../resources/partners/change-partner.ts';
import { openSessionOfKey } from '../resources/portal/sessions.ts';
import { type PartnerView, viewOf } from './view.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const ADDRESS = '192.0.2.7';
const ANN = 'Ann (tok_1)';

async function viewOfPartner(
  environment: SupportEnvironment,
  who: Parameters<typeof openSessionOfKey>[1],
): Promise<PartnerView> {
  const how = { scopes: ['read'] as const, address: ADDRESS };
  const { session } = await openSessionOfKey(environment, who, how);
  return viewOf(environment, session, ADDRESS);
}

describeOnEachStore('the first page', (newDatabase) => {
  async function open() {
    const rig = await Rig.open(await newDatabase(), { clock: new ManualClock(NOON) });
    const midoffice = await rig.midoffice('http://127.0.0.1:9/hook');
    return { rig, midoffice, view: await viewOfPartner(rig.environment, midoffice) };
  }

  test('shows each part as its own call does', async () => {
    const { rig, midoffice, view } = await open();
    await rig.accept(midoffice, ['one', 'two', 'three', 'four', 'five', 'six']);
    const { keyId } = midoffice;
    expect(await view.home()).toEqual({
      midoffice: await view.midoffice.get(),
      exhausted: { count: 0, has_more: false },
      keys: [{ key: await view.keys.get(keyId), limits_in_use: [], highest_share_today: null }],
      refused_lately: null,
      deliveries: (await view.deliveries.list({ limit: 5 })).items,
    });
    const { midoffice: shown, deliveries } = await view.home();
    expect(shown).toMatchObject({ pending: 6, health: 'untested' });
    expect(deliveries.map(({ partner_order_id }) => partner_order_id)).toEqual([
      'six',
      'five',
      'four',
      'three',
      'two',
    ]);
  });

  test('a partner without a midoffice, and with more keys than it shows', async () => {
    const { rig, midoffice, view } = await open();
    const { partnerId } = midoffice;
    await updatePartner(rig.environment, ANN, partnerId, { midoffice_id: null });
    for (const label of ['1', '2', '3', '4', '5', 'revoked']) {
      rig.clock.advance(1);
      const { key_id } = await createKey(rig.environment, ANN, partnerId, { label });
      if (label === 'revoked') await revokeKey(rig.environment, ANN, key_id, {});
    }
    const { midoffice: shown, keys } = await view.home();
    expect(shown).toBeNull();
    expect(keys.map(({ key }) => key.label)).toEqual(['5', '4', '3', '2', '1']);
  });

  test('the highest share since midnight UTC, and refusals of a day', async () => {
    const { rig, midoffice, view } = await open();
    const { keyId, partnerId } = midoffice;
    const endpoint = 'api/b2b/v3/overview/';
    const { store } = rig;
    const used = (hourMs: number, peakShare: number | null) => ({
      keyId,
      endpoint,
      hourMs,
      lastMs: hourMs,
      admitted: 1,
      refused: 0,
      failed: 0,
      peakCalls: peakShare === null ? null : 1,
      peakShare,
    });
    let number = 0;
    const add = (hourMs: number, peakShare: number | null) =>
      store.usageHistory.add({
        writer: 'test',
        number: ++number,
        records: [used(hourMs, peakShare)],
        apiKeys: [],
      });
    const midnight = Date.UTC(2026, 0, 31);
    const share = async () => (await view.home()).keys[0]?.highest_share_today;
    await add(midnight - HOUR_MS, 0.9);
    expect(await share()).toBeNull();
    await add(midnight, null);
    expect(await share()).toBe(0);
    await add(midnight + HOUR_MS, 0.12);
    await add(midnight + 2 * HOUR_MS, 0.05);
    expect(await share()).toBeCloseTo(0.12);

    const refused = (at: number, code: string, sampled_from: number, whose = partnerId) =>
      refusedCall({ at, code, sampled_from, partner_id: whose, key_id: keyId });
    await store.recordedCalls.add([
      refused(NOON - 1_000, 'endpoint_exceeded_limit', 9),
      refused(NOON - 2_000, 'not_allowed_host', 2),
      refused(NOON - DAY_MS - 1, 'incorrect_credentials', 100),
      refused(NOON - 3_000, 'endpoint_not_found', 100, 'another partner'),
    ]);
    expect((await view.home()).refused_lately).toEqual({
      calls: 11,
      most_frequent: 'endpoint_exceeded_limit',
    });
    expect(await view.refusals.codes({})).toMatchObject({
      items: [
        { code: 'incorrect_credentials', calls: 100 },
        { code: 'endpoint_exceeded_limit', calls: 9 },
        { code: 'not_allowed_host', calls: 2 },
      ],
      is_exact: true,
    });
    const since = new Date(NOON - 2_000).toISOString();
    expect((await view.refusals.codes({ since })).items).toMatchObject([
      { calls: 9 },
      { calls: 2 },
    ]);
  });
});
