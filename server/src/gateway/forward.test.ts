/** How forwarded calls share the upstream, on a manual clock. */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { expect, test } from 'vitest';
import { listening } from '../../../test/support.ts';
import { aWhile, forwardTo, post, rig } from '../../testing/forward-rig.ts';
import { defaultGrant, OVERVIEW } from '../base/catalogue.ts';
import { FORWARD_LIMITS } from './forward-limits.ts';

const { waitMs } = FORWARD_LIMITS;

test('partners that fill their shares and queues do not block another partner', async () => {
  const held: (() => void)[] = [];
  const { clock, call, nextRequest } = await rig(
    (incoming, response) => {
      if (incoming.headers['x-partner'] === 'hog') held.push(() => response.end('late'));
      else response.end('at once');
    },
    { callsInFlight: 12, firstCalls: 1, reservedCalls: 3 },
  );
  const hogs: ReturnType<typeof call>[] = [];
  for (let i = 0; i < 6; i++) {
    const arrived = nextRequest();
    hogs.push(call('hog'));
    await arrived;
  }
  const waiting = [call('hog'), call('hog')];
  await aWhile();
  expect(held).toHaveLength(6);
  expect(await call('other')).toMatchObject({ status: 200, text: 'at once' });

  const arrived = nextRequest();
  held[0]?.();
  await arrived;
  clock.advance(waitMs);
  const refused = await Promise.race(waiting);
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(JSON.parse(refused.text).error.code).toBe('too_many_calls_in_flight');
  for (const end of held) end();
  const statuses = (await Promise.all([...hogs, ...waiting])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 429]);
});

test('a call frees its slot however it ends', async () => {
  const limits = { callsInFlight: 1, firstCalls: 1, reservedCalls: 0 };
  const ways: RequestListener[] = [
    (_incoming, response) => response.end('whole'),
    (incoming) => incoming.socket.destroy(),
    (_incoming, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    },
  ];
  let answer = ways[0] as RequestListener;
  const { call, dial, nextRequest } = await rig((...args) => answer(...args), limits);
  for (const way of ways) {
    answer = way;
    for (let i = 0; i < 3; i++) await call().catch(() => {});
  }
  // A caller that hangs up: before the reply, during its body, and while it waits.
  answer = () => {};
  for (const headers of ['Content-Length: 0', 'Content-Length: 5', 'Transfer-Encoding: chunked']) {
    const arrived = headers === 'Content-Length: 5' ? aWhile() : nextRequest();
    const first = await dial(post(headers) + (headers.includes('chunked') ? '1\r\nx\r\n' : ''));
    await arrived;
    const second = await dial(post(headers));
    await aWhile();
    second.destroy();
    first.destroy();
    await aWhile();
  }
  answer = (_incoming, response) => response.end('whole');
  expect((await call()).status).toBe(200);
});

test('interim replies of the upstream are dropped, and the connection stays usable', async () => {
  let connections = 0;
  const upstream = createTcpServer((socket) => {
    connections++;
    socket.on('data', async () => {
      for (const part of [
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Ea',
        'rly Hints\r\nA: b\r\n\r',
      ]) {
        socket.write(part);
        await aWhile();
      }
      socket.write('\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal');
    });
  });
  const { url } = await listening(upstream);
  const { call } = await forwardTo(url);
  for (let i = 0; i < 2; i++) expect(await call()).toMatchObject({ status: 200, text: 'real' });
  expect(connections).toBe(1);
});

test('the reset of a limit is the same, however long the upstream takes', async () => {
  const upstream = createServer((_incoming, response) => {
    clock.advance(45_000);
    response.end();
  });
  const limited = {
    grant: { ...defaultGrant(OVERVIEW), requests_number: 30, seconds_number: 60 },
    standing: { admitted: true, remaining: 29, resetInMs: 60_000 },
  };
  const { url } = await listening(upstream);
  const { clock, call } = await forwardTo(url, {}, limited);
  const resetAt = new Date(clock.now() + 60_000).toISOString().slice(0, 19);
  const { headers } = await call();
  expect(headers).toMatchObject({
    'x-ratelimit-reset': resetAt,
    ratelimit: '"endpoint";r=29;t=15',
  });
});
