import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from './listen.ts';

const HOST = '127.0.0.1';

async function startListening(
  server = createServer((_request, response) => response.end('hello')),
  isProxied = false,
) {
  const settings = { host: HOST, port: 0, variable: 'BELLHOP_TEST_PORT', isProxied };
  const listening = await listen(server, settings);
  onTestFinished(async () => {
    server.closeAllConnections();
    await listening.drain();
  });
  return { server, listening, port: Number(new URL(listening.address).port) };
}

test.runIf(process.platform === 'linux')(
  'many new connections are accepted within a few turns of the event loop',
  async () => {
    const CALLERS = 320;
    const { server, port } = await startListening();
    let accepted = 0;
    const allAccepted = new Promise<void>((resolve) => {
      server.on('connection', () => {
        if (++accepted === CALLERS) resolve();
      });
    });
    let turns = 0;
    let turn = setImmediate(function count() {
      turns++;
      turn = setImmediate(count);
    });
    for (let i = 0; i < CALLERS; i++) {
      const caller = connect(port, HOST).on('error', () => {});
      onTestFinished(() => void caller.destroy());
    }
    await allAccepted;
    clearImmediate(turn);
    // One a turn would take at least as many turns as there are callers.
    expect(turns).toBeLessThan(CALLERS / 2);
  },
);

test('a port of another listener is refused, although several sockets share one', async () => {
  const { port } = await startListening();
  const other = createServer();
  const variable = 'BELLHOP_TEST_PORT';
  const asked = listen(other, { host: HOST, port, variable, isProxied: false });
  await expect(asked).rejects.toThrow(`BELLHOP_TEST_PORT: port ${port} on ${HOST} is taken`);
  expect(other.listening).toBe(false);
});

test('every connection can be used, and none can be opened after draining', async () => {
  const { listening, port } = await startListening();
  const replies = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const reply = await fetch(listening.address, { headers: { connection: 'close' } });
      return reply.text();
    }),
  );
  expect(new Set(replies)).toEqual(new Set(['hello']));
  await listening.drain();
  for (let i = 0; i < 64; i++) {
    const [error] = await once(connect(port, HOST), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  }
});

test('a reply that its caller has not read yet is sent to its end while draining', async () => {
  const body = 'x'.repeat(16 * 1_048_576);
  const replied = Promise.withResolvers<number>();
  const server = createServer((_request, response) => {
    response.end(body);
    replied.resolve(response.writableLength);
  });
  const { listening, port } = await startListening(server);
  const caller = connect(port, HOST).pause();
  onTestFinished(() => void caller.destroy());
  caller.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(await replied.promise).toBeGreaterThan(0);
  const drained = listening.drain();
  const reply = await text(caller);
  expect(reply.length - reply.indexOf('\r\n\r\n') - 4).toBe(body.length);
  await drained;
});

/** A caller that keeps its connection; resolves to its next reply, or to '' if the connection is closed instead. */
async function keepCalling(port: number) {
  const caller = connect(port, HOST);
  onTestFinished(() => void caller.destroy());
  await once(caller, 'connect');
  const closed = once(caller, 'close').then(() => '');
  const call = async (): Promise<string> => {
    caller.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    return Promise.race([once(caller, 'data').then(String), closed]);
  };
  return { call, closed };
}

test('after it is retired, it takes connections, and ends each with the next reply', async () => {
  const { listening, port } = await startListening();
  const before = await keepCalling(port);
  expect(await before.call()).toMatch(/^connection: keep-alive/im);
  listening.retire();
  for (const one of [before, await keepCalling(port)]) {
    expect(await one.call()).toMatch(/^connection: close/im);
    await one.closed;
  }
});

test('draining closes idle connections at once, but a proxy may still use one', async () => {
  for (const isProxied of [false, true]) {
    const { listening, port } = await startListening(undefined, isProxied);
    const caller = await keepCalling(port);
    const idle = await keepCalling(port);
    for (const { call } of [caller, idle]) expect(await call()).toContain('hello');
    const drained = listening.drain();
    expect(await caller.call()).toMatch(isProxied ? /^connection: close/im : /^$/);
    // In the end, those that were not used are closed too.
    await idle.closed;
    await drained;
  }
});
