import { expect, test } from 'vitest';
import { listening } from '../../../test/support.ts';
import { openWire } from '../../e2e/wire.ts';
import { systemClock } from '../base/clock.ts';
import { Metrics } from '../base/metrics.ts';
import { createHttpServer, createParserRefusals } from './http-server.ts';

async function wireToServer() {
  const parts = { trustedProxies: [], clock: systemClock, metrics: new Metrics() };
  const timeouts = { requestMs: 200, checkMs: 50 };
  const server = createHttpServer(() => {}, { listener: 'back-office', ...parts, timeouts });
  server.on('clientError', createParserRefusals(systemClock));
  return openWire((await listening(server)).url);
}

test.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: bellhop.test\r\nX-Slow: '],
  ['body', 'POST / HTTP/1.1\r\nHost: bellhop.test\r\nContent-Length: 10\r\n\r\nab'],
])('answers 408 as a problem when the %s do not arrive in time', async (_what, bytes) => {
  const wire = await wireToServer();
  wire.write(bytes);
  const reply = await wire.next();
  expect([reply.status, reply.headers['content-type']]).toEqual([408, 'application/problem+json']);
  expect(reply.json).toMatchObject({ code: 'request_timeout', status: 408 });
  expect(String(await wire.ended())).toBe('');
});
