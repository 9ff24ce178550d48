/** Well-formed requests to the back office of a running Bellhop, with fuzzed bodies and cookies. */
import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { fill, newKey, PARALLEL } from '../running-bellhop.ts';
import type { Target } from '../target.ts';

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

/** Written from the documentation, independently of the schema. */
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
        // Characters that cannot be in a header at all are left to the parser of node:http.
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
