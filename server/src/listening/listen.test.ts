import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from './listen.ts';

const HOST = '127.0.0.1';

async function startListening(
  server = createServer((_request, response) => response.end('hello')),
) {
  const listening = await listen(server, { host: HOST, port: 0, variable: 'BELLHOP_TEST_PORT' });
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
  const asked = listen(other, { host: HOST, port, variable: 'BELLHOP_TEST_PORT' });
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
