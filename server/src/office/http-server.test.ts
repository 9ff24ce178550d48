import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openWire } from '../../e2e/wire.ts';
import { systemClock } from '../base/clock.ts';
import { Metrics } from '../base/metrics.ts';
import { createHttpServer, createParserRefusals } from './http-server.ts';

async function listening() {
  const parts = { trustedProxies: [], clock: systemClock, metrics: new Metrics() };
  const timeouts = { requestMs: 200, checkMs: 50 };
  const server = createHttpServer(() => {}, { listener: 'back-office', ...parts, timeouts });
  server.on('clientError', createParserRefusals(systemClock));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return openWire(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: bellhop.test\r\nX-Slow: '],
  ['body', 'POST / HTTP/1.1\r\nHost: bellhop.test\r\nContent-Length: 10\r\n\r\nab'],
])('answers 408 as a problem when the %s do not arrive in time', async (_what, bytes) => {
  const wire = await listening();
  wire.write(bytes);
  const reply = await wire.next();
  expect([reply.status, reply.headers['content-type']]).toEqual([408, 'application/problem+json']);
  expect(reply.json).toMatchObject({ code: 'request_timeout', status: 408 });
  expect(String(await wire.ended())).toBe('');
});
