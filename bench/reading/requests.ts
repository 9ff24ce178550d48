/** Each list, count, search, download and statistic of both listeners, with the filters that make it read most. */

import { type Bellhop, support } from '../bellhop.ts';
import { STOCKED } from '../growth/fill.ts';
import type { Page } from '../growth/pages.ts';
import type { Midoffices } from '../midoffices.ts';
import { openPortal } from '../portal-visit.ts';

export interface Reading extends Page {
  accept?: string;
}

const MATCHES_NOTHING = { type: 'cancelled' };
const { partner } = STOCKED;

/** The partner with many deliveries gets a receiver, a key and somebody at its portal. */
export async function readings(bellhop: Bellhop, { ids }: Midoffices): Promise<Reading[]> {
  await support(bellhop, 'PATCH', `/partners/${partner}`, { midoffice_id: ids[0] });
  const key = await support<{ key_id: string }>(bellhop, 'POST', `/partners/${partner}/keys`, {});
  return all(await openPortal(bellhop, partner), key.key_id);
}

function all(cookie: string, keyId: string): Reading[] {
  const query = (filter: Record<string, string>) => new URLSearchParams(filter).toString();
  const staff = (path: string, filter: Record<string, string> = {}): Reading => ({
    name: `${path} ${Object.values(filter).join(' ')}`.trim(),
    path: `${path}?${query(filter)}`,
  });
  const portal = (path: string, filter: Record<string, string> = {}): Reading => {
    const one = staff(path, filter);
    return { ...one, name: `portal ${one.name}`, cookie };
  };
  const csv = (one: Reading): Reading => ({ ...one, name: `${one.name}, CSV`, accept: 'text/csv' });
  const ofPartner = { partner_id: partner, ...MATCHES_NOTHING };
  return [
    portal('/deliveries/count', MATCHES_NOTHING),
    portal('/deliveries', MATCHES_NOTHING),
    portal('/deliveries/count', { state: 'delivered' }),
    portal('/deliveries', { state: 'unrouted' }),
    portal('/deliveries', { status_class: '4xx' }),
    portal('/deliveries', { failure_code: 'dns', ...MATCHES_NOTHING }),
    portal('/deliveries', { partner_order_id_prefix: 'order-' }),
    portal('/deliveries', { partner_order_id_prefix: 'order-', ...MATCHES_NOTHING }),
    portal('/home'),
    portal('/refusals', { code: 'unknown' }),
    portal('/notices'),
    portal('/activity'),
    portal('/keys', { limit: '200' }),
    portal(`/keys/${keyId}/history`, { step: 'hour' }),
    staff('/deliveries', ofPartner),
    staff('/deliveries/count', ofPartner),
    staff('/deliveries/count'),
    staff('/deliveries/count', { state: 'delivered' }),
    staff('/deliveries', { midoffice_id: STOCKED.midoffice, ...MATCHES_NOTHING }),
    staff('/deliveries', { partner_order_id_prefix: 'order-', ...ofPartner }),
    staff('/deliveries', { state: 'delivered', ...ofPartner }),
    staff('/deliveries', { status_class: '4xx', ...ofPartner }),
    csv(staff('/deliveries')),
    csv(staff('/deliveries', ofPartner)),
    staff('/partners', { name: 'nothing' }),
    staff('/partners/count', { name: 'nothing' }),
    staff(`/partners/${partner}/activity`),
    staff(`/partners/${partner}/history`, { step: 'hour' }),
    staff('/midoffices', { name: 'nothing' }),
    staff('/midoffices', { only: 'with_exhausted', name: 'nothing' }),
    staff('/keys/count'),
    staff('/keys', { only: 'unused' }),
    csv(staff('/keys')),
    staff('/audit', { action: STOCKED.rareAction, actor: STOCKED.actor }),
    staff('/audit', { subject: partner, action: STOCKED.rareAction }),
    staff('/audit/count', { action: STOCKED.rareAction, actor: STOCKED.actor }),
    staff('/audit/count'),
    csv(staff('/audit')),
    staff('/notices', { kind: STOCKED.rareNotice, mail: 'given_up' }),
    csv(staff('/notices')),
    staff('/calls', { code: 'unknown', address: '192.0.2.1' }),
    staff('/stats', { span: 'week' }),
    staff('/search', { q: 'nothing' }),
    staff('/export'),
  ];
}
