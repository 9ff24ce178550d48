/** Partners, midoffices and events for the delivery benches, all through the HTTP interface. */
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { ADMIN_TOKEN, type Bellhop, support } from './bellhop.ts';

const EVENTS_AT_ONCE = 500;
const SHORTEST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 200;
const STALLED_MS = 60_000;

export interface Midoffices {
  partnerId: string;
  authorization: string;
  ids: string[];
}

export async function createMidoffices(
  bellhop: Bellhop,
  urls: readonly string[],
  maxInFlight = 16,
): Promise<Midoffices> {
  const partner = await support<{ id: string }>(bellhop, 'POST', '/partners', {
    name: 'Bench',
    integration_started_on: '2025-10-01',
    is_new: true,
  });
  const key = await support<{ key_id: string; api_key: string }>(
    bellhop,
    'POST',
    `/partners/${partner.id}/keys`,
    {},
  );
  const ids: string[] = [];
  for (const [n, url] of urls.entries()) {
    const midoffice = await support<{ id: string }>(bellhop, 'POST', '/midoffices', {
      name: `Midoffice ${n}`,
      url,
      signing_key_id: key.key_id,
      max_in_flight: maxInFlight,
    });
    ids.push(midoffice.id);
  }
  const pair = Buffer.from(`${key.key_id}:${key.api_key}`).toString('base64');
  const endpoint = 'api/b2b/v3/overview/';
  await support(bellhop, 'PUT', `/keys/${key.key_id}/endpoints`, { endpoint, is_limited: false });
  return { partnerId: partner.id, authorization: `Basic ${pair}`, ids };
}

let events = 0;
const run = Date.now().toString(36);

/** Events for the midoffices in turn; returns their order ids. */
export async function postEvents(
  bellhop: Bellhop,
  { partnerId }: Midoffices,
  midofficeIds: readonly string[],
  count: number,
): Promise<string[]> {
  const orders: string[] = [];
  while (orders.length < count) {
    const batch = Array.from(
      { length: Math.min(EVENTS_AT_ONCE, count - orders.length) },
      (_, n) => {
        const id = `${run}-${++events}`;
        return {
          event_id: id,
          type: 'created',
          partner_id: partnerId,
          partner_order_id: id,
          midoffice_id: midofficeIds[(orders.length + n) % midofficeIds.length],
        };
      },
    );
    // Not fetch: its garbage collection stops this process for 10 to 15 ms every 1.5 s, which would count as
    // Bellhop's delay.
    const reply = await request(`${bellhop.backOffice}/orders/v1/sandbox/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: batch }),
    });
    if (reply.statusCode !== 202) {
      throw new Error(`events: ${reply.statusCode} ${await reply.body.text()}`);
    }
    await reply.body.dump();
    orders.push(...batch.map((event) => event.partner_order_id));
  }
  return orders;
}

/** Deliveries since the nodes' start, by their own counter, which follows the commit. */
export async function deliveredCount(nodes: readonly Bellhop[]): Promise<number> {
  const counts = await Promise.all(
    nodes.map(async ({ backOffice }) => {
      const reply = await request(`${backOffice}/metrics`);
      const text = await reply.body.text();
      const line = /_settled_total\{environment="sandbox",state="delivered"\} (\d+)$/m.exec(text);
      return Number(line?.[1] ?? 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Asks rarely while much is left and often towards the end: 50 calls of /metrics a second took 3 % of a core
 * from the deliveries that they counted.
 */
export async function untilDelivered(nodes: readonly Bellhop[], count: number): Promise<void> {
  const startedMs = performance.now();
  const atStart = await deliveredCount(nodes);
  let last = { delivered: atStart, atMs: startedMs };
  while (last.delivered < count) {
    const msEach = (last.atMs - startedMs) / (last.delivered - atStart);
    const leftMs = (count - last.delivered) * msEach;
    await sleep(Math.max(SHORTEST_WAIT_MS, Math.min(leftMs / 2 || 0, LONGEST_WAIT_MS)));
    const delivered = await deliveredCount(nodes);
    const nowMs = performance.now();
    if (delivered !== last.delivered) last = { delivered, atMs: nowMs };
    else if (nowMs > last.atMs + STALLED_MS) {
      throw new Error(`delivery stalled: ${count - delivered} events left`);
    }
  }
}

export async function pauseAll(
  node: Bellhop,
  { ids }: Pick<Midoffices, 'ids'>,
  paused: boolean,
): Promise<void> {
  await Promise.all(ids.map((id) => support(node, 'PATCH', `/midoffices/${id}`, { paused })));
}
