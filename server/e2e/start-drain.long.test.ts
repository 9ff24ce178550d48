import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listening, temporaryFolder } from '../../test/support.ts';
import { ADMIN_TOKEN, type BellhopProcess, spawnBellhop } from '../testing/bellhop.ts';
import { Condition } from '../testing/condition.ts';
import { eventually } from '../testing/eventually.ts';

// These tests start whole processes, which is slow on a busy machine.
/** The promised time for a stop; after that, a supervisor would kill the process. */
const LONGEST_STOP_MS = 15_000;
const SLOW = '/api/b2b/v3/search/hp/';

/** Bellhop listens for SIGUSR1 before it loads anything else. */
const SIGNALS_AT_ITS_FIRST_LINES = new URL(
  `data:text/javascript,process.on('newListener', (name) => {
    if (name === 'SIGUSR1') for (const one of ['SIGHUP', 'SIGUSR2']) process.kill(process.pid, one);
  })`.replaceAll(/\s+/g, ' '),
);

test.each<{ signal: NodeJS.Signals; variables: Record<string, string> }>([
  { signal: 'SIGTERM', variables: {} },
  // npm passes Ctrl-C on, although the terminal has sent it to every process already.
  { signal: 'SIGINT', variables: { npm_lifecycle_event: 'start' } },
])(
  '$signal, even twice: calls in flight finish, idle connections close, no new calls are accepted, exit 0',
  async ({ signal, variables }) => {
    const upstream = await startUpstream();
    const levelFile = join(await temporaryFolder(), 'log-level');
    writeFileSync(levelFile, 'warn');
    const settings = {
      BELLHOP_PRODUCTION_UPSTREAM_URL: upstream.url,
      BELLHOP_LOG_LEVEL: '',
      BELLHOP_LOG_LEVEL_FILE: levelFile,
    };
    const bellhop = await spawnBellhop(
      { ...settings, ...variables },
      { preload: SIGNALS_AT_ITS_FIRST_LINES },
    );
    const { authorization } = await bellhop.newKey('production');
    const idle = await openKeepAlive(bellhop.addresses.backOffice);
    const errors = textOf(bellhop.child.stderr as Readable);

    const slow = fetch(bellhop.addresses.production + SLOW, { headers: { authorization } });
    const held = await upstream.nextCall();
    // Neither of these ends it, and the first does not open a debugger.
    writeFileSync(levelFile, 'info');
    const untilLogged = (text: string, act: () => unknown) =>
      eventually(
        async () => {
          await act();
          return errors.sofar();
        },
        (sofar) => sofar.includes(text),
      );
    // The first one is not logged at the level that it changes.
    await untilLogged('SIGHUP: reading certificates and files of settings again', () => {
      for (const other of ['SIGUSR1', 'SIGUSR2', 'SIGHUP'] as const) bellhop.child.kill(other);
    });
    // The back office is in another thread.
    await untilLogged('signed in to the console', () =>
      fetch(`${bellhop.addresses.backOffice}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-bellhop-console': '1' },
        body: JSON.stringify({ token: ADMIN_TOKEN }),
      }),
    );

    const exit = once(bellhop.child, 'exit', { signal: AbortSignal.timeout(LONGEST_STOP_MS) });
    bellhop.child.kill(signal);
    await once(idle, 'close');
    bellhop.child.kill(signal);
    for (const address of Object.values(bellhop.addresses)) await refusesConnections(address);

    held.end('{"late":true}');
    const reply = await slow;
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ late: true });
    expect(await exit).toEqual([0, null]);
    expect(errors.sofar()).not.toContain('Debugger');
  },
);

test('with a drain delay, it is not ready at once and serves on until a second signal', async () => {
  const bellhop = await spawnBellhop({ BELLHOP_DRAIN_DELAY: '10m' });
  const { production, backOffice } = bellhop.addresses;
  const { authorization } = await bellhop.newKey('production');
  const readiness = async (path = '') => {
    const reply = await fetch(`${backOffice}/health/ready${path}`);
    return { status: reply.status, body: await reply.json() };
  };
  expect((await readiness()).status).toBe(200);
  const exit = once(bellhop.child, 'exit');
  bellhop.child.kill('SIGTERM');
  await eventually(readiness, ({ status }) => status === 503);
  const troubles = ['This process is about to stop.'];
  for (const path of ['/production', '/sandbox']) {
    expect(await readiness(path)).toEqual({ status: 503, body: { status: 'not ready', troubles } });
  }
  for (const [url, headers] of [
    [`${production}/api/b2b/v3/overview/`, { authorization }],
    [`${backOffice}/health/live`, {}],
  ] as const) {
    const reply = await fetch(url, { headers });
    expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
    await reply.arrayBuffer();
  }
  bellhop.child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test('endless requests on every listener neither delay the stop nor lose data', async () => {
  const upstream = await startUpstream();
  const settings = {
    BELLHOP_DATA_DIR: await temporaryFolder(),
    BELLHOP_PRODUCTION_UPSTREAM_URL: upstream.url,
    BELLHOP_SANDBOX_UPSTREAM_URL: upstream.url,
  };
  const bellhop = await spawnBellhop(settings);
  const production = await bellhop.newKey('production');
  const sandbox = await bellhop.newKey('sandbox');
  const ended = [
    [bellhop.addresses.production, production.authorization],
    [bellhop.addresses.sandbox, sandbox.authorization],
  ].map(([address, authorization]) =>
    fetch(address + SLOW, { headers: { authorization: authorization as string } }).then(
      () => 'answered',
      () => 'cut off',
    ),
  );
  await upstream.nextCall();
  await upstream.nextCall();
  const half = await openSocket(bellhop.addresses.backOffice);
  half.write('POST /support/v1/tokens HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{');
  const silent = await openSocket(bellhop.addresses.production);

  const exit = once(bellhop.child, 'exit', { signal: AbortSignal.timeout(LONGEST_STOP_MS) });
  bellhop.child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(await Promise.all(ended)).toEqual(['cut off', 'cut off']);
  silent.destroy();

  // After an orderly restart, even a window of a minute is kept.
  const again = await spawnBellhop(settings);
  expect(await usedOf(again, 'production', production.keyId)).toBe(1);
  expect(await usedOf(again, 'sandbox', sandbox.keyId)).toBe(1);
});

function textOf(stream: Readable) {
  let text = '';
  const changed = new Condition();
  stream.on('data', (chunk) => {
    text += chunk;
    changed.look();
  });
  stream.once('close', () => changed.look());
  return {
    sofar: () => text,
    async has(part: string) {
      await changed.until(() => text.includes(part) || stream.closed);
      expect(text).toContain(part);
    },
  };
}

async function usedOf(bellhop: BellhopProcess, environment: string, keyId: string) {
  const { body } = await bellhop.support('GET', `/support/v1/${environment}/keys/${keyId}/usage`);
  const usage: { endpoint: string; used: number }[] = body.items;
  return usage.find(({ endpoint }) => `/${endpoint}` === SLOW)?.used;
}

/** An upstream that answers when the test tells it to. */
async function startUpstream() {
  const calls: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    calls.push(response);
    server.emit('call');
  });
  const at = await listening(server);
  return {
    url: at.url,
    async nextCall(): Promise<ServerResponse> {
      while (calls.length === 0) await once(server, 'call');
      return calls.shift() as ServerResponse;
    },
  };
}

async function openKeepAlive(address: string): Promise<Socket> {
  const socket = await openSocket(address);
  socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
  const [reply] = await once(socket, 'data');
  expect(String(reply)).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

async function openSocket(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the listener is gone; bounded only by the test's own time limit. */
async function refusesConnections(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const [outcome] = await Promise.race([
      once(socket, 'connect').then(() => ['connected'] as const),
      new Promise<readonly ['refused']>((resolve) => {
        socket.on('error', () => resolve(['refused']));
      }),
    ]);
    socket.destroy();
    if (outcome === 'refused') return;
  }
}

test('stops cleanly after many writes', async () => {
  const folder = await temporaryFolder();
  const bellhop = await spawnBellhop({ BELLHOP_DATA_DIR: folder });
  const { keyId } = await bellhop.newKey('sandbox');
  const key = await bellhop.support('GET', `/support/v1/sandbox/keys/${keyId}`);
  const database = join(folder, 'sandbox', 'bellhop.db');
  const before = (await stat(database)).size;
  for (let batch = 0; batch < 4; batch++) {
    const events = Array.from({ length: 1_000 }, (_, n) => ({
      event_id: `${batch}-${n}`,
      type: 'created',
      partner_id: key.body.partner_id,
      partner_order_id: 'x'.repeat(200),
    }));
    const { status } = await bellhop.support('POST', '/orders/v1/sandbox/events', { events });
    expect(status).toBe(202);
  }
  // The checkpoint thread copied them from the log, and must end as well.
  await vi.waitFor(
    async () => expect((await stat(database)).size).toBeGreaterThan(before + 1_000_000),
    { timeout: 20_000 },
  );
  const exit = once(bellhop.child, 'exit', { signal: AbortSignal.timeout(LONGEST_STOP_MS) });
  bellhop.child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
