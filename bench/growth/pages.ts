/** What each page and list filter of the console requests, from the sandbox's support API. */
import { STOCKED } from './fill.ts';

export interface Page {
  name: string;
  path: string;
  /** Its value is cached: the slowest call is the one that read it. */
  isCached?: boolean;
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
    { name: 'delivery', path: `/deliveries/${deliveryId}` },
    { name: 'delivery nodes', path: '/delivery-nodes' },
    { name: 'midoffices', path: '/midoffices' },
    { name: 'midoffices: by name', path: '/midoffices?name=Midoffice%200' },
    { name: 'midoffices: no such name', path: '/midoffices?name=nothing' },
    { name: 'midoffice', path: `/midoffices/${presentMidoffice}` },
    { name: 'partners', path: '/partners' },
    { name: 'partners: by name', path: '/partners?name=Partner%205' },
    { name: 'partners: no such name', path: '/partners?name=nothing' },
    { name: 'partner', path: `/partners/${partner}` },
    { name: 'keys', path: '/keys' },
    { name: 'keys: of a partner', path: `/keys?partner_id=${partner}` },
    { name: 'key', path: `/keys/${keyId}` },
    { name: 'key: endpoints', path: `/keys/${keyId}/endpoints` },
    { name: 'key: usage', path: `/keys/${keyId}/usage` },
    audit('newest', {}),
    audit('of a subject', { subject: partner }),
    audit('by an actor', { actor: STOCKED.actor }),
    audit('by an actor with one entry', { actor: STOCKED.quietActor }),
    audit('of an action', { action: STOCKED.action }),
    audit('of a rare action', { action: STOCKED.rareAction }),
    audit('of a day', day),
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
