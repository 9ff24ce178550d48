/**
 * Order systems that post events at a steady rate. `/rate?events=…` sets it, and `/take` answers with what
 * became of them since the last time. Arguments: back office, token, partner id, midoffice ids
 * (comma-separated), events in a request.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { Latencies } from '../load/latencies.ts';
import { openLoop } from '../load/open-loop.ts';
import { listening } from './listening.ts';

const [backOffice = '', token = '', partnerId = '', midoffices = '', size = ''] =
  process.argv.slice(2);
const midofficeIds = midoffices.split(',');
const batch = Number(size);
/** Enough for all that Bellhop takes in. Each has its own connection, so that none waits here. */
const CONNECTIONS = 1_500;
const pool = new Pool(backOffice, { connections: CONNECTIONS });
const run = Date.now().toString(36);
let events = 0;

const accepted = new Latencies();
const refused = new Latencies();
let withoutRetryAfter = 0;
let failed = 0;

function newEvent(): object {
  const id = `${run}-load-${++events}`;
  const midofficeId = midofficeIds[events % midofficeIds.length];
  return {
    event_id: id,
    type: 'created',
    partner_id: partnerId,
    partner_order_id: id,
    midoffice_id: midofficeId,
  };
}

const loop = openLoop(CONNECTIONS, async () => {
  const body = JSON.stringify({ events: Array.from({ length: batch }, newEvent) });
  const startedMs = performance.now();
  try {
    const reply = await pool.request({
      method: 'POST',
      path: '/orders/v1/sandbox/events',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    });
    await reply.body.dump();
    const ms = performance.now() - startedMs;
    if (reply.statusCode === 202) accepted.add(ms);
    else if (reply.statusCode === 503) {
      refused.add(ms);
      if (reply.headers['retry-after'] === undefined) withoutRetryAfter++;
    } else failed++;
  } catch {
    failed++;
  }
});

listening(
  createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://localhost');
    if (asked.pathname === '/rate') {
      loop.rate = Number(asked.searchParams.get('events')) / batch;
      // What was counted so far stays for the next `/take`.
      response.end('{}');
      return;
    }
    const taken = {
      batch,
      accepted: accepted.take(),
      refused: refused.take(),
      withoutRetryAfter,
      failed,
      leftOut: loop.leftOut,
      open: loop.open,
    };
    failed = 0;
    withoutRetryAfter = 0;
    loop.leftOut = 0;
    response.end(JSON.stringify(taken));
  }),
);
