/**
 * What delivery is compared with: a loop that signs and POSTs with undici, and records nothing. Calls of
 * `/send?count=…&at_once=…` run it against the receiver given as argument and answer with the seconds.
 */
import { createServer } from 'node:http';
import { createTokenMaker } from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';
import { Pool } from 'undici';
import { listening } from './listening.ts';

const receiver = new URL(process.argv[2] as string);
const pool = new Pool(receiver.origin, { pipelining: 1 });
const newToken = createTokenMaker();
const apiKey = '022a2cf1-d279-02f3-9c3c-596aa09b827b';

async function send(n: number): Promise<void> {
  const { headers, body } = signWebhook({
    webhookId: `event-${n}`,
    event: { type: 'created', partnerOrderId: `order-${n}` },
    form: 'data',
    timestamp: Math.floor(Date.now() / 1_000),
    token: newToken(),
    bodyKey: apiKey,
    headerKeys: [apiKey],
  });
  const reply = await pool.request({
    path: receiver.pathname,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'bare' },
    body,
  });
  await reply.body.dump();
}

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  let left = Number(searchParams.get('count'));
  const startedMs = performance.now();
  async function loop(): Promise<void> {
    while (left > 0) await send(left--);
  }
  await Promise.all(Array.from({ length: Number(searchParams.get('at_once')) }, loop));
  response.end(String((performance.now() - startedMs) / 1_000));
});
listening(server);
