/** Callers of forwarded endpoints that hang up or do not read. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type TestKey } from '../testing/bellhop.ts';
import { sharedForwarding } from './forwarding.ts';
import { bodyOf } from './upstream.ts';
import { FORWARDED_PATH, head, openWire } from './wire.ts';

const MIB = 1_048_576;

const { upstream, bellhop, begin } = sharedForwarding(() => ({
  BELLHOP_ENVIRONMENTS: 'sandbox',
}));

test('a caller that stops sending after its request gets the reply', async () => {
  const { key, sandbox } = await begin((_request, response) => {
    response.writeHead(200, { 'Content-Length': '2' });
    response.write('o');
    setImmediate(() => response.end('k'));
  });
  const wire = await openWire(sandbox);
  wire.socket.end(head(`GET ${FORWARDED_PATH}`, { Authorization: key.authorization }).repeat(2));
  for (const reply of [await wire.next(), await wire.next()]) {
    expect([reply.status, reply.text]).toEqual([200, 'ok']);
  }
  expect(String(await wire.ended())).toBe('');
});

describe('a caller that hangs up', () => {
  test('before the reply, frees the upstream', async () => {
    const gone = Promise.withResolvers<void>();
    const { key, sandbox } = await begin((request) => {
      request.socket.once('close', () => gone.resolve());
    });
    const wire = await openWire(sandbox);
    wire.write(head(`GET ${FORWARDED_PATH}`, { Authorization: key.authorization }));
    await upstream.nextRequest();
    wire.socket.resetAndDestroy();
    await gone.promise;
  });

  test('in the middle of its body, leaves the upstream with a truncated body', async () => {
    let outcome: Promise<string> | undefined;
    const { key, sandbox } = await begin((request) => {
      outcome = bodyOf(request).then(
        () => 'whole',
        () => 'truncated',
      );
    });
    for (const [name, value] of [
      // A small body with a declared length is forwarded only once it is complete.
      ['content-length', `${MIB}`],
      ['transfer-encoding', 'chunked'],
    ] as const) {
      const request = httpRequest(sandbox, {
        ...wanted(key, { [name]: value }),
        method: 'POST',
        agent: false,
      });
      request.on('error', () => {});
      request.write('half');
      await upstream.nextRequest();
      request.destroy();
      expect(await outcome).toBe('truncated');
    }
  });

  test('in the middle of the reply, stops the upstream', async () => {
    const stopped = Promise.withResolvers<void>();
    const { key, sandbox } = await begin((_request, response) => {
      response.once('close', () => stopped.resolve());
      flood(response);
    });
    const response = await respond(sandbox, key);
    await once(response, 'data');
    response.destroy();
    await stopped.promise;
  });

  test('is counted once, with the status that was sent', async () => {
    const { key, sandbox } = await begin((_request, response) => flood(response));
    const response = await respond(sandbox, key, '/api/b2b/v3/hotel/static/');
    await once(response, 'data');
    response.destroy();
    const line = 'endpoint="api/b2b/v3/hotel/static/",status="200"} 1';
    for (;;) {
      const reply = await fetch(`${bellhop.addresses.backOffice}/metrics`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      if ((await reply.text()).includes(line)) break;
      await nextTurn();
    }
  });
});

test('a download pauses while the caller does not read, so memory stays bounded', async () => {
  const size = 256 * MIB;
  let written = 0;
  const stalled = Promise.withResolvers<void>();
  const { key, sandbox } = await begin((_request, response) => {
    response.writeHead(200, { 'Content-Length': String(size) });
    const block = Buffer.alloc(MIB / 4, 'x');
    const fill = () => {
      while (written < size) {
        written += block.length;
        if (!response.write(block)) return stalled.resolve();
      }
      response.end();
    };
    response.on('drain', fill);
    fill();
  });
  const response = await respond(sandbox, key);
  response.pause();
  await stalled.promise;
  await untilStill(() => written);
  // Only the sockets' buffers and a little in either process: far less than the whole reply.
  expect(written).toBeLessThan(48 * MIB);
  let received = 0;
  for await (const chunk of response) received += (chunk as Buffer).length;
  expect(received).toBe(size);
});

function wanted(key: TestKey, headers: Record<string, string> = {}) {
  return { path: FORWARDED_PATH, headers: { authorization: key.authorization, ...headers } };
}

async function respond(
  sandbox: string,
  key: TestKey,
  path = FORWARDED_PATH,
): Promise<IncomingMessage> {
  const request = httpRequest(sandbox, { ...wanted(key), path, agent: false });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  return response;
}

function flood(response: ServerResponse): void {
  const block = Buffer.alloc(65_536, 'x');
  const fill = () => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', fill);
  fill();
}

/** Waits until it has been stable for many times as long as loopback sockets need. */
async function untilStill(read: () => number): Promise<void> {
  let last = read();
  for (let still = 0; still < 100; still++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (read() === last) continue;
    last = read();
    still = 0;
  }
}
