/** Receivers with endless replies, in every part of a reply: other receivers' webhooks are not delayed. */

import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listening } from '../../../test/support.ts';
import { spawnBellhop, type TestBellhop } from '../../testing/bellhop.ts';
import { eventually } from '../../testing/eventually.ts';
import { startReceiver } from '../../testing/webhook-receiver.ts';
import { DELIVERIES, EVENTS, newEvent, newSender, WEBHOOKS } from '../webhook-bellhop.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const LINES = 'a:b\r\n'.repeat(13_000);
/** One after another: without the limits, each took seconds and all of them minutes. */
const WEBHOOKS_MEANWHILE = 40;

/** Sends `beginning`, then `again` for as long as the other side reads. */
async function startEndless(beginning: string, again: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(beginning);
      const more = () => {
        while (!socket.destroyed && socket.write(again));
      };
      socket.on('drain', more);
      more();
    });
  });
  const { url } = await listening(server);
  return `${url}/hook`;
}

async function attemptOf(bellhop: TestBellhop, deliveryId: string) {
  const read = async () => (await bellhop.support('GET', `${DELIVERIES}/${deliveryId}`)).body;
  const { attempts } = await eventually(read, (delivery) => delivery.attempts.length > 0);
  return attempts[0];
}

test.each([
  ['header lines', OK, LINES, { status_code: 200, error: /headers are too long/ }],
  ['1xx replies', '', 'HTTP/1.1 103 a\r\n\r\n'.repeat(500), { status_code: null, error: /1xx/ }],
  [
    'chunk extensions',
    `${OK}transfer-encoding: chunked\r\n\r\n1`,
    ';a=b'.repeat(9_000),
    { status_code: 200, error: /is not valid HTTP/ },
  ],
  [
    'trailers',
    `${OK}transfer-encoding: chunked\r\n\r\n0\r\n`,
    LINES,
    { status_code: 200, error: /is not valid HTTP/ },
  ],
  [
    'crumbs of a body',
    `${OK}transfer-encoding: chunked\r\n\r\n`,
    '1\r\nx\r\n'.repeat(9_000),
    { status_code: 200, error: null },
  ],
])('endless %s, with 256 attempts at a time', async (_, beginning, again, outcome) => {
  const bellhop = await spawnBellhop(WEBHOOKS);
  const hostile = await newSender(bellhop, await startEndless(beginning, again), {
    max_in_flight: 256,
  });
  const receiver = await startReceiver();
  const healthy = await newSender(bellhop, receiver.url);
  const events = Array.from({ length: 300 }, () => newEvent(hostile));
  const { body } = await bellhop.support('POST', EVENTS, { events });
  for (let sent = 1; sent <= WEBHOOKS_MEANWHILE; sent++) {
    await bellhop.support('POST', EVENTS, newEvent(healthy));
    await receiver.came(sent);
  }
  const { status_code, error } = await attemptOf(bellhop, body.results[0].delivery_id);
  expect(status_code).toBe(outcome.status_code);
  if (outcome.error) expect(error).toMatch(outcome.error);
  else expect(error).toBeNull();
});
