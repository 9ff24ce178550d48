/** Whole requests to a running Bellhop: what node:http, Fastify and our own code make of them together. */
import assert from 'node:assert/strict';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { catalogue } from '../../src/catalogue.ts';
import { exchange, type RunningBellhop } from '../running-bellhop.ts';
import type { Target } from '../target.ts';

const PARALLEL = 16;
const httpWords = [
  'GET ',
  'POST ',
  'HEAD ',
  ' HTTP/1.1\r\n',
  'HTTP/1.0',
  '\r\n',
  '\r\n\r\n',
  'Host: a\r\n',
]
  .concat([
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    '0\r\n\r\n',
    'Connection: close\r\n',
  ])
  .concat([
    'Expect: 100-continue\r\n',
    'Upgrade: h2c\r\n',
    '%00',
    '%2e%2e/',
    '?',
    'http://a',
    'X-Debug-Mode: on\r\n',
  ]);

interface NewKey {
  keyId: string;
  partnerId: string;
  authorization: string;
}

async function newKey({ support }: RunningBellhop): Promise<NewKey> {
  const partner: { body: { id: string } } = await support('POST', '/support/v1/sandbox/partners', {
    ...{ name: 'Fuzz', integration_started_on: '2025-11-01', is_new: true },
  });
  const path = `/support/v1/sandbox/partners/${partner.body.id}/keys`;
  const key: { body: { key_id: string; api_key: string } } = await support('POST', path, {});
  const { key_id, api_key } = key.body;
  const authorization = `Basic ${Buffer.from(`${key_id}:${api_key}`).toString('base64')}`;
  return { keyId: key_id, partnerId: partner.body.id, authorization };
}

function fill(input: Buffer, values: Record<string, string>): Buffer {
  const text = input.toString('latin1').replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
  return Buffer.from(text, 'latin1');
}

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
    // Failed sign-ins will lock the address; who has signed in before keeps working.
    const { authorization } = key;
    await fetch(`${bellhop.sandbox}/api/b2b/v3/overview/`, { headers: { authorization } });
    return {
      parallel: PARALLEL,
      async check(input) {
        const received = await exchange(bellhop.sandbox, fill(input, { ...key }));
        for (const request of bellhop.forwarded()) checkForwarded(request, key);
        assert.ok(!statusesIn(received).includes('500'), 'a fault of our own');
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
        assert.ok(!statusesIn(received).includes('500'), 'a fault of our own');
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

interface Reply {
  status: number;
  text: string;
}

function send(
  address: string,
  options: { method?: string; headers: Record<string, string>; body?: Buffer; agent: Agent },
): Promise<Reply> {
  const { method = 'GET', headers, body, agent } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest(address, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.once('error', reject);
    request.end(body);
  });
}

const text = (longest: number) => (value: unknown) =>
  typeof value === 'string' &&
  [...value].length <= longest &&
  !value.includes('\0') &&
  value.isWellFormed();
const textOrNull = (value: unknown) => value === null || text(1_024)(value);

/** Written apart from the schema, from what the documentation says. */
const EVENT_FIELDS: Record<string, (value: unknown) => boolean> = {
  event_id: (value) => value !== '' && text(128)(value),
  type: (value) => ['created', 'updated', 'cancelled'].includes(value as string),
  partner_id: text(200),
  partner_order_id: (value) => value !== '' && text(256)(value),
  agreement_number: textOrNull,
  status: textOrNull,
  midoffice_id: text(200),
};

type Event = Record<string, unknown>;

export const orderEvents: Target = {
  name: 'order-events',
  words: [
    '"event_id":',
    '"type":"updated"',
    '"partner_id":"{partnerId}"',
    '{"events":[',
    ']}',
    'null',
    '\\u0000',
    '\\ud83d',
    '"__proto__":{}',
    '"status":',
    ',',
    '\u{1f600}',
  ],
  shapes: fc
    .record(
      {
        event_id: fc.string({ unit: 'grapheme', maxLength: 140 }),
        type: fc.constantFrom('created', 'updated', 'cancelled', 'other'),
        partner_id: fc.constantFrom('{partnerId}', '{partnerId}', 'nobody'),
        partner_order_id: fc.string({ unit: 'binary', maxLength: 260 }),
        agreement_number: fc.oneof(fc.string(), fc.constant(null)),
        status: fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat()),
      },
      { requiredKeys: ['event_id', 'type', 'partner_id', 'partner_order_id'] },
    )
    .map((event) => JSON.stringify(event)),
  async open(world) {
    const bellhop = await world.bellhop();
    const { keyId, partnerId } = await newKey(bellhop);
    const midoffice: { body: { id: string } } = await bellhop.support(
      'POST',
      '/support/v1/sandbox/midoffices',
      { name: 'Fuzz', url: 'http://127.0.0.1:9/', signing_key_id: keyId },
    );
    const midofficePath = `/support/v1/sandbox/midoffices/${midoffice.body.id}`;
    await bellhop.support('PATCH', midofficePath, { paused: true });
    await bellhop.support('PATCH', `/support/v1/sandbox/partners/${partnerId}`, {
      midoffice_id: midoffice.body.id,
    });
    const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
    const headers = {
      authorization: `Bearer ${bellhop.token}`,
      'content-type': 'application/json',
    };

    async function checkStored(event: Event, id: string): Promise<void> {
      const address = `${bellhop.backOffice}/support/v1/sandbox/deliveries/${id}`;
      const stored = JSON.parse((await send(address, { headers, agent })).text);
      for (const name of [
        'event_id',
        'type',
        'partner_id',
        'partner_order_id',
        'agreement_number',
        'status',
      ]) {
        assert.equal(stored[name], event[name] ?? null, `${name} came back as something else`);
      }
    }

    return {
      parallel: PARALLEL,
      async check(input) {
        const body = fill(input, { partnerId });
        const reply = await send(`${bellhop.backOffice}/orders/v1/sandbox/events`, {
          ...{ method: 'POST', headers, body, agent },
        });
        if (reply.status !== 202) {
          assert.ok([400, 409, 413, 422].includes(reply.status), `answered with ${reply.status}`);
          assert.match(JSON.parse(reply.text).code, /^[a-z_]+$/);
          return;
        }
        const parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
        const events: Event[] = 'events' in parsed ? parsed.events : [parsed];
        const { results } = JSON.parse(reply.text);
        assert.equal(results.length, events.length);
        for (const [i, event] of events.entries()) {
          for (const [name, value] of Object.entries(event)) {
            assert.ok(EVENT_FIELDS[name]?.(value), `accepted ${name}: ${JSON.stringify(value)}`);
          }
          assert.equal(results[i].event_id, event.event_id);
          if (results[i].delivery_id) await checkStored(event, results[i].delivery_id);
        }
      },
      close: () => agent.destroy(),
    };
  },
};

/** The value of a Cookie header; `{cookie}` is a valid one. */
export const sessionCookie: Target = {
  name: 'session-cookie',
  words: [
    '{cookie}',
    'bellhop_session=',
    '__Host-bellhop_session=',
    '; ',
    ';',
    '=',
    '"',
    'a=b',
    ' ',
    ',',
  ],
  async open(world) {
    const bellhop = await world.bellhop();
    const signIn = await fetch(`${bellhop.backOffice}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-bellhop-console': '1' },
      body: JSON.stringify({ token: bellhop.token }),
    });
    const [cookie = ''] = (signIn.headers.get('set-cookie') ?? '').split(';');
    assert.match(cookie, /^bellhop_session=[\w-]{43}$/, `no session: ${signIn.status}`);
    const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
    return {
      parallel: PARALLEL,
      async check(input) {
        // What cannot be in a header at all is for the parser of node:http.
        const value = fill(input, { cookie })
          .toString('latin1')
          .replace(/[^\t\x20-\x7e\x80-\xff]/g, '');
        const address = `${bellhop.backOffice}/support/v1/sandbox/partners`;
        const { status } = await send(address, { headers: { cookie: value }, agent });
        const ofThatName = value
          .split(';')
          .filter((pair) => /^[\s\xa0\ufeff]*bellhop_session=/.test(pair));
        const isSignedIn = ofThatName.length === 1 && ofThatName[0]?.trim() === cookie;
        const isLong = value.length > 15_000;
        const expected = [isSignedIn ? 200 : 401, ...(isLong ? [431] : [])];
        assert.ok(expected.includes(status), `answered with ${status}`);
      },
      close: () => agent.destroy(),
    };
  },
};
