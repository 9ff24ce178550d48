/** The bytes of whole requests: what node:http, Fastify and our own code make of them together. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { catalogue } from '../../src/base/catalogue.ts';
import { exchange, fill, type NewKey, newKey, PARALLEL } from '../running-bellhop.ts';
import type { Target } from '../target.ts';

const httpWords = [
  'GET ',
  'POST ',
  'HEAD ',
  ' HTTP/1.1\r\n',
  'HTTP/1.0',
  '\r\n',
  '\r\n\r\n',
  'Host: a\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  '0\r\n\r\n',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\n',
  '%00',
  '%2e%2e/',
  '?',
  'http://a',
  'X-Debug-Mode: on\r\n',
];

interface RawReply {
  status: number;
  head: string;
  body: Buffer;
}

/** The first final reply; undefined if there is none. The body of a reply to HEAD is empty. */
function firstReply(bytes: Buffer): RawReply | undefined {
  const text = bytes.toString('latin1');
  const begin = text.search(/HTTP\/1\.1 [2-5]\d\d /);
  const end = text.indexOf('\r\n\r\n', begin);
  if (begin < 0 || end < 0) return undefined;
  const head = text.slice(begin, end);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  const rest = bytes.subarray(end + 4, end + 4 + length);
  // A reply to HEAD announces a length, and the next reply follows at once.
  const body = rest.toString('latin1', 0, 9) === 'HTTP/1.1 ' ? Buffer.alloc(0) : rest;
  return { status: Number(head.slice(9, 12)), head, body };
}

function statusesIn(bytes: Buffer): string[] {
  return [...bytes.toString('latin1').matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(
    (match) => match[1] as string,
  );
}

const paths = new Set(catalogue.map(({ endpoint }) => `/${endpoint}`));

function checkForwarded(request: IncomingMessage, { keyId, partnerId }: NewKey): void {
  const { headers, url = '' } = request;
  assert.ok(paths.has(url.split('?')[0] as string), `the booking core got ${url}`);
  assert.equal(headers['x-bellhop-key-id'], keyId, 'forwarded without its key, or with another');
  assert.equal(headers['x-bellhop-partner-id'], partnerId);
  assert.equal(headers.authorization, undefined, 'forwarded the credentials');
}

export const partnerRequest: Target = {
  name: 'partner-request',
  words: [
    ...httpWords,
    '/api/b2b/v3/overview/',
    '/api/b2b/v3/search/hp/',
    'Authorization: {authorization}\r\n',
    'X_Bellhop_Key_Id: 1\r\n',
  ],
  async open(world) {
    const bellhop = await world.bellhop();
    const key = await newKey(bellhop);
    for (const endpoint of ['api/b2b/v3/overview/', 'api/b2b/v3/search/hp/']) {
      const path = `/support/v1/sandbox/keys/${key.keyId}/endpoints`;
      await bellhop.support('PUT', path, { endpoint, is_limited: false });
    }
    // Failed sign-ins will lock the address, but not for a key that has signed in before.
    const { authorization } = key;
    await fetch(`${bellhop.sandbox}/api/b2b/v3/overview/`, { headers: { authorization } });
    return {
      parallel: PARALLEL,
      async check(input) {
        const received = await exchange(bellhop.sandbox, fill(input, { ...key }));
        for (const request of bellhop.forwarded()) checkForwarded(request, key);
        assert.ok(!statusesIn(received).includes('500'), 'an internal error');
        const reply = firstReply(received);
        if (!reply || reply.body.length === 0) return;
        // The booking core's own reply.
        if (reply.body.toString() === '{}') return;
        const envelope = JSON.parse(reply.body.toString());
        assert.deepEqual(Object.keys(envelope), ['data', 'debug', 'error', 'status']);
        assert.equal(envelope.status, reply.status === 200 ? 'ok' : 'error');
        assert.match(reply.head, /^x-request-id: [0-9a-f]{32}$/im);
      },
    };
  },
};

export const backOfficeRequest: Target = {
  name: 'back-office-request',
  words: [
    ...httpWords,
    '/support/v1/sandbox/',
    'partners',
    'keys',
    '?limit=1',
    '&cursor=',
    'Authorization: Bearer {token}\r\n',
    'Content-Type: application/json\r\n',
  ],
  async open(world) {
    const bellhop = await world.bellhop();
    const { token } = bellhop;
    return {
      parallel: PARALLEL,
      async check(input) {
        const received = await exchange(bellhop.backOffice, fill(input, { token }));
        assert.ok(!statusesIn(received).includes('500'), 'an internal error');
        const reply = firstReply(received);
        if (!reply) return;
        assert.match(reply.head, /^x-content-type-options: nosniff$/im, 'no security headers');
        assert.match(reply.head, /^content-security-policy: default-src 'none'/im);
        if (reply.status < 400 || reply.body.length === 0) return;
        assert.match(reply.head, /^content-type: application\/problem\+json/im);
        assert.match(JSON.parse(reply.body.toString()).code, /^[a-z_]+$/);
      },
    };
  },
};
