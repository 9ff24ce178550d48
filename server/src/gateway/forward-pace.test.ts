/** Callers that send and read slowly, on a manual clock. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { aWhile, closing, post, rig, textOf } from '../../testing/forward-rig.ts';
import { FORWARD_LIMITS } from './forward-limits.ts';

const MIB = 1_048_576;
const { paceBytes, paceMs, readerMs } = FORWARD_LIMITS;

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
