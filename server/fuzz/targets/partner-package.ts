/** The partner package: webhooks that a receiver gets from anyone, and replies that a client reads. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { composeBody, type EventType, readBody } from '../../../partner/src/body.ts';
import { PartnerApiError, readOverview } from '../../../partner/src/client.ts';
import { PacedWindow } from '../../../partner/src/paced-window.ts';
import { parseRetryAfterMs, readRateLimit } from '../../../partner/src/rate-limit.ts';
import { createReceiver } from '../../../partner/src/receive.ts';
import { createVerifier } from '../../../partner/src/verify.ts';
import { parser } from '../target.ts';

const API_KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
/** When the webhooks of the corpus were signed. */
const SIGNED_AT_MS = 1_574_146_939_000;

const options = { apiKey: API_KEY, now: () => SIGNED_AT_MS };
const verifier = createVerifier(options);
const strictVerifier = createVerifier({ ...options, requireHeaders: true });
const receiver = createReceiver({ ...options, onEvent() {} });

const bodyWords = [
  '"data":',
  '"signature":',
  '"type":"created"',
  '"token":',
  '"timestamp":',
  'null',
  '{',
  '}',
].concat([
  '"__proto__":',
  '"partner_order_id":"1"',
  '\\u0000',
  '\\ud800',
  ',',
  '[',
  ']',
  '"status":"x"',
]);

/** Header lines, a blank line, and the body. */
export const webhook = parser('webhook', {
  words: [
    ...bodyWords,
    'webhook-id: ',
    'webhook-timestamp: ',
    'webhook-signature: v1,',
    ' v1,',
    '\n\n',
    '\ufeff',
  ],
  async check(input) {
    const blank = input.indexOf('\n\n');
    const head = blank < 0 ? '' : input.toString('latin1', 0, blank);
    const body = blank < 0 ? input : input.subarray(blank + 2);
    const headers = Object.fromEntries(
      head.split('\n').flatMap((line) => {
        const colon = line.indexOf(': ');
        return colon > 0 ? [[line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]] : [];
      }),
    );
    const verified = await verifier.verify(body, headers);
    const { status } = await receiver.receive(body, headers);
    if (!verified.ok) {
      const expected = verified.reason === 'malformed' ? [400, 413] : [401];
      assert.ok(expected.includes(status), `${verified.reason} answered with ${status}`);
      return;
    }
    assert.equal(status, 200);
    const { timestamp, token } = verified;
    const given = JSON.parse(new TextDecoder().decode(body)).signature.signature;
    assert.equal(given, hmac(`${timestamp}${token}`, 'hex'), 'accepted a forged signature');
    const strictly = await strictVerifier.verify(body, headers);
    if (!strictly.ok) return;
    const id = headers['webhook-id'] as string;
    const content = Buffer.concat([
      Buffer.from(`${id}.${Number(headers['webhook-timestamp'])}.`),
      body,
    ]);
    const signatures = (headers['webhook-signature'] as string).split(' ');
    assert.ok(signatures.includes(`v1,${hmac(content, 'base64')}`), 'accepted a changed body');
  },
});

function hmac(message: string | Buffer, encoding: 'hex' | 'base64'): string {
  return createHmac('sha256', API_KEY).update(message).digest(encoding);
}

export const webhookBody = parser('webhook-body', {
  words: bodyWords,
  shapes: fc.oneof(
    fc.json(),
    fc
      .record({
        data: fc.record({ type: fc.constantFrom('created', 'x'), partner_order_id: fc.string() }),
        signature: fc.record({ signature: fc.string(), timestamp: fc.nat(), token: fc.string() }),
      })
      .map((body) => JSON.stringify(body)),
  ),
  check(input) {
    const reading = readBody(input.toString());
    if (!reading.ok) {
      assert.match(reading.message, /\.$/);
      return;
    }
    const { event, secure } = reading;
    assert.ok([...event.partnerOrderId].length <= 256 && event.partnerOrderId !== '');
    assert.ok(secure.token.length <= 256 && Number.isSafeInteger(secure.timestamp));
    for (const form of ['data', 'flat', 'both'] as const) {
      const type = event.type ?? ('created' satisfies EventType);
      const again = readBody(composeBody({ ...event, type }, form, secure));
      assert.deepEqual(again, { ok: true, event: { ...event, type }, secure }, `as ${form}`);
    }
  },
});

/** The three headers, a line each, then RateLimit and Retry-After. */
export const rateLimitHeaders = parser('rate-limit-headers', {
  words: [
    '0',
    '100',
    '1e9',
    'Infinity',
    '-1',
    '0x10',
    ';t=',
    '"endpoint";r=1;t=7',
    '\n',
    '9999999',
    ' ',
    ',',
  ],
  check(input) {
    const [requests, seconds, remaining, ratelimit, retryAfter] = input
      .toString('latin1')
      .split('\n');
    const headers = new Headers();
    for (const [name, value] of Object.entries({
      ...{ 'x-ratelimit-requestsnumber': requests, 'x-ratelimit-secondsnumber': seconds },
      ...{ 'x-ratelimit-remaining': remaining, ratelimit, 'retry-after': retryAfter },
    })) {
      try {
        if (value !== undefined) headers.set(name, value);
      } catch {
        // Not a value that a header can have.
      }
    }
    const waitMs = parseRetryAfterMs(headers.get('retry-after'));
    assert.ok(waitMs === undefined || waitMs >= 0, `waits ${waitMs} ms`);
    const state = readRateLimit(headers);
    if (state) {
      const { limit, resetMs = 0 } = state;
      assert.ok(Number.isSafeInteger(limit.requests) && Number.isSafeInteger(limit.spanMs));
      assert.ok(state.remaining >= 0 && state.remaining <= limit.requests);
      assert.ok(Number.isSafeInteger(resetMs) && resetMs >= 0);
    }
    const window = new PacedWindow(
      () => 0,
      () => new Promise(() => {}),
    );
    const turn = window.takeTurn();
    return turn.then((taken) => taken.replied(retryAfter === undefined ? 200 : 429, headers));
  },
});

/** The status, a line break, and the body. */
export const overviewReply = parser('overview-reply', {
  words: [
    '200\n',
    '500\n',
    '{"data":[',
    '"status":"ok"',
    '"error":',
    'null',
    '"requests_number":1',
    '"endpoint":"a"',
  ],
  shapes: fc
    .json()
    .map((json) => `200\n{"data":[${json}],"debug":null,"error":null,"status":"ok"}`),
  async check(input) {
    const text = input.toString();
    const status = Number(/^([2-5]\d\d)\n/.exec(text)?.[1] ?? 200);
    const body = [204, 205, 304].includes(status) ? null : text.slice(text.indexOf('\n') + 1);
    try {
      const entries = await readOverview(new Response(body, { status }));
      assert.ok(status < 300, `believed a reply with ${status}`);
      for (const entry of entries) {
        assert.equal(typeof entry.endpoint, 'string');
        assert.ok(Number.isSafeInteger(entry.requests_number) && entry.requests_number >= 0);
      }
    } catch (error) {
      assert.ok(error instanceof PartnerApiError, `threw ${error}`);
    }
  },
});
