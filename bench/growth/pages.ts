/** What each page and list filter of the console requests, from the sandbox's support API. */
import { STOCKED } from './fill.ts';

export interface Page {
  name: string;
  path: string;
  /** Its value is cached: the slowest call is the one that read it. */
  isCached?: boolean;
  /** Of a session in the portal, which the path then belongs to. */
  cookie?: string;
  /** Makes it a POST. */
  body?: object;
}

const { partner, order } = STOCKED;

export interface Examples {
  keyId: string;
  deliveryId: string;
  /** One that the deliveries in stock went to. */
  midoffice: string;
  presentMidoffice: string;
}

export function pages({ keyId, deliveryId, midoffice, presentMidoffice }: Examples): Page[] {
  const day = { since: ago(15), until: ago(14) };
  const deliveries = (name: string, filter: Record<string, string>): Page => ({
    name: `deliveries: ${name}`,
    path: `/deliveries?${new URLSearchParams(filter)}`,
  });
  const audit = (name: string, filter: Record<string, string>): Page => ({
    name: `audit: ${name}`,
    path: `/audit?${new URLSearchParams(filter)}`,
  });
  const notices = (name: string, filter: Record<string, string>): Page => ({
    name: `notices: ${name}`,
    path: `/notices?${new URLSearchParams(filter)}`,
  });
  const count = (list: string, name: string, filter: Record<string, string>): Page => ({
    name: `${list}: count, ${name}`,
    path: `/${list}/count?${new URLSearchParams(filter)}`,
  });
  return [
    deliveries('newest', {}),
    deliveries('page 2', { cursor: deliveryId }),
    ...['pending', 'delivered', 'exhausted', 'cancelled', 'unrouted'].flatMap((state) => [
      deliveries(state, { state }),
      deliveries(`${state}, of a partner`, { state, partner_id: partner }),
    ]),
    ...['pending', 'delivered', 'exhausted'].map((state) =>
      deliveries(`${state}, of a midoffice`, { state, midoffice_id: midoffice }),
    ),
    deliveries('pending, of a day', { state: 'pending', ...day }),
    deliveries('exhausted, of a day', { state: 'exhausted', ...day }),
    deliveries('of a midoffice', { midoffice_id: midoffice }),
    deliveries('of a partner', { partner_id: partner }),
    deliveries('of a partner and a midoffice', { partner_id: partner, midoffice_id: midoffice }),
    deliveries('of a partner without any', { partner_id: 'par_none' }),
    deliveries('pending, of a partner without any', { state: 'pending', partner_id: 'par_none' }),
    deliveries('of an order', { partner_order_id: order }),
    deliveries('pending, of an order', { partner_order_id: order, state: 'pending' }),
    deliveries('of a type', { type: 'created' }),
    deliveries('of a rare type', { type: 'cancelled' }),
    deliveries('of a rare type and a midoffice', { type: 'cancelled', midoffice_id: midoffice }),
    deliveries('of a day', day),
    deliveries('of a partner and a day', { partner_id: partner, ...day }),
    deliveries('by the beginning of an order', { partner_order_id_prefix: order }),
    deliveries('exhausted, by the beginning of an order', {
      partner_order_id_prefix: 'order-1',
      state: 'exhausted',
    }),
    deliveries('answered with 4xx', { status_class: '4xx' }),
    deliveries('pending, answered with 4xx', { status_class: '4xx', state: 'pending' }),
    deliveries('exhausted, timed out', { failure_code: 'timeout', state: 'exhausted' }),
    deliveries('answered with 4xx, of a partner', { status_class: '4xx', partner_id: partner }),
    count('deliveries', 'pending', { state: 'pending' }),
    count('deliveries', 'exhausted, of a midoffice', {
      state: 'exhausted',
      midoffice_id: midoffice,
    }),
    count('deliveries', 'answered with 4xx', { status_class: '4xx' }),
    count('deliveries', 'of a partner', { partner_id: partner }),
    { name: 'delivery', path: `/deliveries/${deliveryId}` },
    { name: 'delivery nodes', path: '/delivery-nodes' },
    { name: 'midoffices', path: '/midoffices' },
    { name: 'midoffices: by name', path: '/midoffices?name=Midoffice%200' },
    { name: 'midoffices: no such name', path: '/midoffices?name=nothing' },
    { name: 'midoffices: failing', path: '/midoffices?only=failing' },
    { name: 'midoffices: with exhausted deliveries', path: '/midoffices?only=with_exhausted' },
    { name: 'midoffice', path: `/midoffices/${presentMidoffice}` },
    { name: 'partners', path: '/partners' },
    { name: 'partners: by name', path: '/partners?name=Partner%205' },
    { name: 'partners: no such name', path: '/partners?name=nothing' },
    { name: 'partners: in the order of their names', path: '/partners?sort=name' },
    { name: 'partners: without a midoffice', path: '/partners?only=without_midoffice' },
    count('partners', 'all', {}),
    count('partners', 'by name', { name: 'Partner 5' }),
    { name: 'partner', path: `/partners/${partner}` },
    { name: 'partner: onboarding', path: `/partners/${partner}/onboarding` },
    { name: 'partner: activity', path: `/partners/${partner}/activity` },
    { name: 'partner: usage by hour', path: `/partners/${partner}/history` },
    { name: 'partner: notes', path: `/partners/${partner}/notes` },
    { name: 'keys', path: '/keys' },
    { name: 'keys: in the order of their expiry', path: '/keys?sort=expires_at' },
    { name: 'keys: expiring', path: '/keys?only=expiring' },
    { name: 'keys: unused', path: '/keys?only=unused' },
    count('keys', 'all', {}),
    { name: 'keys: of a partner', path: `/keys?partner_id=${partner}` },
    { name: 'key', path: `/keys/${keyId}` },
    { name: 'key: endpoints', path: `/keys/${keyId}/endpoints` },
    { name: 'key: usage', path: `/keys/${keyId}/usage` },
    { name: 'key: usage by hour', path: `/keys/${keyId}/history` },
    { name: 'key: peaks', path: `/keys/${keyId}/peaks` },
    audit('newest', {}),
    audit('of a subject', { subject: partner }),
    audit('by an actor', { actor: STOCKED.actor }),
    audit('by an actor with one entry', { actor: STOCKED.quietActor }),
    audit('of an action', { action: STOCKED.action }),
    audit('of a rare action', { action: STOCKED.rareAction }),
    audit('of a day', day),
    audit('oldest', { sort: 'at' }),
    count('audit', 'all', {}),
    count('audit', 'of a subject', { subject: partner }),
    notices('newest', {}),
    notices('of a partner', { partner_id: partner }),
    notices('of a kind', { kind: 'limit_reached' }),
    notices('of a rare kind', { kind: STOCKED.rareNotice }),
    notices('with a mail that was given up', { mail: 'given_up' }),
    notices('of a rare kind, with a mail that was given up', {
      kind: STOCKED.rareNotice,
      mail: 'given_up',
    }),
    ...['hour', 'day', 'week'].map((span) => ({
      name: `stats: ${span}`,
      path: `/stats?span=${span}`,
      isCached: true,
    })),
    { name: 'search: an order', path: `/search?q=${order}` },
    { name: 'search: a key', path: `/search?q=${keyId}` },
    { name: 'search: a name', path: '/search?q=Partner%205' },
    { name: 'search: nothing', path: '/search?q=nothing' },
  ];
}

function ago(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}
