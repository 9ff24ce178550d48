/**
 * What delivery is compared with: a loop that signs and POSTs with undici, and records nothing. Calls of
 * `/send?count=…&at_once=…` run it against the receiver given as argument and answer with the seconds.
 */
import { createServer } from 'node:http';
import { listening } from './listening.ts';
import { webhookSender } from './webhook-sender.ts';

const send = webhookSender(new URL(process.argv[2] as string));

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  let left = Number(searchParams.get('count'));
  const startedMs = performance.now();
  async function loop(): Promise<void> {
    for (; left > 0; left--) await send(`event-${left}`, `order-${left}`);
  }
  await Promise.all(Array.from({ length: Number(searchParams.get('at_once')) }, loop));
  response.end(String((performance.now() - startedMs) / 1_000));
});
listening(server);
