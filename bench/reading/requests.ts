/** Each list, count, search, download and statistic of both listeners, with the filters that make it read most. */

import { STOCKED } from '../growth/fill.ts';
import type { Page } from '../growth/pages.ts';

export interface Reading extends Page {
  accept?: string;
}

const MATCHES_NOTHING = { type: 'cancelled' };
const { partner } = STOCKED;

export function readings(cookie: string, keyId: string, midoffice: string): Reading[] {
  const query = (filter: Record<string, string>) => new URLSearchParams(filter).toString();
  const support = (path: string, filter: Record<string, string> = {}): Reading => ({
    name: `${path} ${Object.values(filter).join(' ')}`.trim(),
    path: `${path}?${query(filter)}`,
  });
  const portal = (path: string, filter: Record<string, string> = {}): Reading => {
    const one = support(path, filter);
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
    support('/deliveries', ofPartner),
    support('/deliveries/count', ofPartner),
    support('/deliveries/count'),
    support('/deliveries/count', { state: 'delivered' }),
    support('/deliveries', { midoffice_id: midoffice, ...MATCHES_NOTHING }),
    support('/deliveries', { partner_order_id_prefix: 'order-', ...ofPartner }),
    support('/deliveries', { state: 'delivered', ...ofPartner }),
    support('/deliveries', { status_class: '4xx', ...ofPartner }),
    csv(support('/deliveries')),
    csv(support('/deliveries', ofPartner)),
    support('/partners', { name: 'nothing' }),
    support('/partners/count', { name: 'nothing' }),
    support(`/partners/${partner}/activity`),
    support(`/partners/${partner}/history`, { step: 'hour' }),
    support('/midoffices', { name: 'nothing' }),
    support('/midoffices', { only: 'with_exhausted', name: 'nothing' }),
    support('/keys/count'),
    support('/keys', { only: 'unused' }),
    csv(support('/keys')),
    support('/audit', { action: STOCKED.rareAction, actor: STOCKED.actor }),
    support('/audit', { subject: partner, action: STOCKED.rareAction }),
    support('/audit/count', { action: STOCKED.rareAction, actor: STOCKED.actor }),
    support('/audit/count'),
    csv(support('/audit')),
    support('/notices', { kind: STOCKED.rareNotice, mail: 'given_up' }),
    csv(support('/notices')),
    support('/calls', { code: 'unknown', address: '192.0.2.1' }),
    support('/stats', { span: 'week' }),
    support('/search', { q: 'nothing' }),
    support('/export'),
  ];
}
