/**
 * Partners that call at a steady rate. `/rate?calls=…` sets it, and `/take` answers with the latencies since the
 * last time. Arguments: URL, Authorization value.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { Latencies } from '../load/latencies.ts';
import { openLoop } from '../load/open-loop.ts';
import { listening } from './listening.ts';

const [url = '', authorization = ''] = process.argv.slice(2);
const { origin, pathname, search } = new URL(url);
const CONNECTIONS = 256;
const pool = new Pool(origin, { connections: CONNECTIONS });
const latencies = new Latencies();
let failed = 0;

const loop = openLoop(CONNECTIONS, async () => {
  const startedMs = performance.now();
  try {
    const reply = await pool.request({
      method: 'GET',
      path: pathname + search,
      headers: { authorization },
    });
    await reply.body.dump();
    if (reply.statusCode === 200) latencies.add(performance.now() - startedMs);
    else failed++;
  } catch {
    failed++;
  }
});

listening(
  createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://localhost');
    if (asked.pathname === '/rate') {
      loop.rate = Number(asked.searchParams.get('calls'));
      response.end('{}');
      return;
    }
    const taken = { ...latencies.take(), failed, leftOut: loop.leftOut, open: loop.open };
    failed = 0;
    loop.leftOut = 0;
    response.end(JSON.stringify(taken));
  }),
);
