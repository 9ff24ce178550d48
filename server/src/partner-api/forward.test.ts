/** Callers that send and read slowly, and many at once, on a manual clock. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { OVERVIEW } from '../catalogue.ts';
import { defaultGrant, defaultGrants } from '../grants.ts';
import { Call } from './call.ts';
import { createForwarder } from './forward.ts';
import { FORWARD_LIMITS, type ForwardLimits } from './forward-limits.ts';
import { Refusal } from './refusal.ts';
import { sendRefusal } from './reply.ts';

const MIB = 1_048_576;
const { paceBytes, paceMs, readerMs, waitMs } = FORWARD_LIMITS;

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A forwarder between an HTTP server, whose callers name their partner, and an upstream. */
async function rig(answer: RequestListener, limits: Partial<ForwardLimits> = {}) {
  const upstream = createServer({ keepAliveTimeout: 60_000 }, answer);
  const url = await listening(upstream);
  onTestFinished(() => {
    upstream.close();
    upstream.closeAllConnections();
  });
  let connections = 0;
  upstream.on('connection', () => connections++);
  return {
    ...(await forwardTo(url, limits)),
    upstream,
    connections: () => connections,
    nextRequest: async () => (await once(upstream, 'request'))[0] as IncomingMessage,
  };
}

const grants = defaultGrants();
const grant = { ...defaultGrant(OVERVIEW), is_limited: false };

async function forwardTo(url: string, limits: Partial<ForwardLimits> = {}) {
  const clock = new ManualClock();
  const forwarder = createForwarder({
    url,
    timeoutMs: 3_600_000,
    environment: 'sandbox',
    clock,
    limits,
  });
  const server = createServer(async (incoming, response) => {
    const call = new Call(incoming, response, '127.0.0.1', 0);
    const partnerId = String(incoming.headers['x-partner'] ?? 'a');
    const method = incoming.method === 'POST' ? 'POST' : 'GET';
    const caller = { keyId: '1', partnerId, disabled: false, addressAllowed: true, grants };
    try {
      const reserved = forwarder.reserve({ call, caller, endpoint: 'x/', grant, method });
      await forwarder.forward({ stage: await reserved, standing: undefined });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      sendRefusal(call, error, { clock, errorForm: 'object' });
    }
  });
  const address = await listening(server);
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await forwarder.close();
  });

  const call = async (partner = 'a', headers = {}) => {
    const sent = request(address, { agent: false, headers: { 'x-partner': partner, ...headers } });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, text: await textOf(response) };
  };
  /** A connection on which these bytes have been sent. */
  const dial = async (bytes: string) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(bytes);
    await once(socket, 'connect');
    return socket;
  };
  return { clock, call, dial };
}

async function textOf(readable: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of readable) text += chunk;
  return text;
}

/** Resolves however the connection ends. */
const closing = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

const post = (headers: string) => `POST /x/ HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;

/** Long enough for bytes on loopback to arrive. */
async function aWhile(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

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

test('a small body that does not arrive holds no connection to the upstream and gets 408', async () => {
  const { clock, dial, connections } = await rig((_incoming, response) => response.end());
  const socket = await dial(post('Content-Length: 1000'));
  for (let i = 0; i < 9; i++) {
    socket.write('byte by byte');
    await aWhile();
    clock.advance(paceMs / 10);
  }
  expect(connections()).toBe(0);
  clock.advance(paceMs / 10);
  const [reply] = await once(socket, 'data');
  expect(String(reply)).toMatch(/^HTTP\/1\.1 408 .*"request_timeout"/s);
  expect(connections()).toBe(0);
  socket.destroy();
});

test.each([`Content-Length: ${MIB}`, 'Transfer-Encoding: chunked'])(
  'a body that trickles (%s) releases the connection to the upstream and gets 408',
  async (header) => {
    const { clock, dial, nextRequest } = await rig(() => {});
    const arrived = nextRequest();
    const socket = await dial(`${post(header)}5\r\nhello\r\n`);
    const { socket: held } = await arrived;
    for (let i = 0; i < 9; i++) {
      socket.write('1\r\nx\r\n');
      await aWhile();
      clock.advance(paceMs / 10);
    }
    expect(held.destroyed).toBe(false);
    const gone = closing(held);
    clock.advance(paceMs / 10);
    const [reply] = await once(socket, 'data');
    expect(String(reply)).toMatch(/^HTTP\/1\.1 408 .*"request_timeout"/s);
    await gone;
    socket.destroy();
  },
);

test('a body that keeps the minimum pace may take long', async () => {
  const { clock, dial, nextRequest } = await rig(async (incoming, response) => {
    response.end(`${(await textOf(incoming)).length} bytes`);
  });
  const arrived = nextRequest();
  const spans = 4;
  const socket = await dial(`${post(`Content-Length: ${1 + spans * paceBytes}`)}x`);
  await arrived;
  for (let i = 0; i < spans; i++) {
    socket.write(Buffer.alloc(paceBytes, 'x'));
    await aWhile();
    clock.advance(paceMs);
  }
  const [reply] = await once(socket, 'data');
  expect(String(reply)).toContain(`${1 + spans * paceBytes} bytes`);
  socket.destroy();
});

/** Sends more than the connections' buffers hold. */
const flood: RequestListener = (_incoming, response) => {
  const block = Buffer.alloc(MIB, 'x');
  let left = 64;
  const fill = () => {
    while (left > 0 && !response.destroyed) {
      left--;
      if (!response.write(block)) return;
    }
    response.end();
  };
  response.on('drain', fill);
  fill();
};

test('a reply that the caller does not read is aborted, and the upstream released', async () => {
  const { clock, dial, nextRequest } = await rig(flood);
  const arrived = nextRequest();
  const socket = await dial('GET /x/ HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.pause();
  const { socket: held } = await arrived;
  const gone = closing(held);
  // The deadline starts when the buffers are full, and is reset until then.
  while (clock.nextTimerInMs !== readerMs) await nextTurn();
  await aWhile();
  clock.advance(readerMs);
  while (!held.destroyed) {
    clock.advance(readerMs);
    await nextTurn();
  }
  await gone;
});

test('a reply continues while it is read, even with many pauses', async () => {
  const { clock, dial } = await rig(flood);
  const socket = await dial('GET /x/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let received = 0;
  for await (const chunk of socket) {
    if (received === 0) {
      while (clock.nextTimerInMs !== readerMs) await nextTurn();
      clock.advance(readerMs - 1);
    }
    received += (chunk as Buffer).length;
  }
  expect(received).toBeGreaterThan(64 * MIB);
});

test('a small reply releases the upstream even if the caller does not read it', async () => {
  const { dial, nextRequest, upstream } = await rig(flood, { readAheadBytes: 128 * MIB });
  const answered = nextRequest().then(({ socket }) => once(socket, 'drain'));
  const socket = await dial('GET /x/ HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.pause();
  await answered;
  const freed = await new Promise((resolve) => {
    const look = () =>
      upstream.getConnections((_error, open) => {
        upstream.closeIdleConnections();
        if (open === 0) resolve('free');
        else setImmediate(look);
      });
    look();
  });
  expect(freed).toBe('free');
  socket.destroy();
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
  const { call } = await forwardTo(await listening(upstream));
  onTestFinished(() => void upstream.close());
  for (let i = 0; i < 2; i++) expect(await call()).toMatchObject({ status: 200, text: 'real' });
  expect(connections).toBe(1);
});
