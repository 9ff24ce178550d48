import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { problems } from '../src/support/problem.ts';
import { ADMIN_TOKEN, type TestBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY, describeOnEachEngine, sharedBackOffice } from '../testing/engines.ts';

const PARTNERS = '/support/v1/production/partners';
const PARTNER = { name: 'x', integration_started_on: '2025-11-01', is_new: true };

/** Sends a call exactly as written. Every error must come back as a problem. */
async function send(
  { addresses }: TestBellhop,
  path: string,
  { body, type = 'application/json', method = body === undefined ? 'GET' : 'POST' }: Sent = {},
) {
  const reply = await fetch(addresses.backOffice + path, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...(body !== undefined && type !== null && { 'content-type': type }),
    },
    body: body ?? null,
  });
  const text = await reply.text();
  const isProblem = reply.status >= 400 && method !== 'HEAD';
  if (isProblem) expectProblem(reply.status, reply.headers.get('content-type'), text);
  return { status: reply.status, body: text && JSON.parse(text), headers: reply.headers };
}

interface Sent {
  method?: string;
  body?: string | Uint8Array<ArrayBuffer>;
  type?: string | null;
}

function expectProblem(status: number, type: string | null, text: string): void {
  expect([status, type]).toEqual([status, expect.stringMatching(/^application\/problem\+json/)]);
  const problem = JSON.parse(text);
  const known = problems[problem.code as keyof typeof problems];
  expect(problem).toMatchObject({
    type: `urn:bellhop:problem:${problem.code}`,
    title: known.title,
    status: known.status,
    detail: expect.stringMatching(/^\S.*\.$/s),
  });
  expect(status).toBe(known.status);
}

const bellhop = sharedBackOffice();

describe('a body', () => {
  test.each([
    '{',
    '{"name":}',
    "{'name':'x'}",
    '{"name":"x",}',
    'name=x',
    '\u0000',
    '{"name":"\n"}',
    '{"name":NaN}',
    '"',
    '[[[[',
  ])('that is not JSON is refused with 400: %j', async (body) => {
    expect(await send(bellhop(), PARTNERS, { body })).toMatchObject({
      status: 400,
      body: { code: 'malformed_json' },
    });
  });

  test.each(['[]', '"text"', '7', 'true', 'null', '[{"name":"x"}]'])(
    'that is not an object is refused with 422: %s',
    async (body) => {
      expect(await send(bellhop(), PARTNERS, { body })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed' },
      });
    },
  );

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'nonsense',
    null,
  ])('of the type %j is refused with 415', async (type) => {
    const body = new TextEncoder().encode(JSON.stringify(PARTNER));
    expect(await send(bellhop(), PARTNERS, { body, type })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
  });

  test('may name its charset', async () => {
    const body = JSON.stringify(PARTNER);
    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'Application/JSON',
    ]) {
      expect(await send(bellhop(), PARTNERS, { body, type })).toMatchObject({ status: 201 });
    }
  });

  test('over 1 MiB is refused with 413; a smaller one is read', async () => {
    const padding = (bytes: number) =>
      `${JSON.stringify(PARTNER).slice(0, -1)}${' '.repeat(bytes)}}`;
    const limit = 1_048_576;
    const rest = JSON.stringify(PARTNER).length;
    expect(await send(bellhop(), PARTNERS, { body: padding(limit - rest) })).toMatchObject({
      status: 201,
    });
    expect(await send(bellhop(), PARTNERS, { body: padding(limit - rest + 1) })).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    });
  });

  test('that is nested too deeply is refused, not answered with 500', async () => {
    const body = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { status } = await send(bellhop(), PARTNERS, { body });
    expect([400, 422]).toContain(status);
  });

  test('with an unknown field is refused, with the name of the field', async () => {
    const body = JSON.stringify({ ...PARTNER, nmae: 'x', suspended: true });
    const { status, body: problem } = await send(bellhop(), PARTNERS, { body });
    expect(status).toBe(422);
    expect(problem.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      '/nmae',
      '/suspended',
    ]);
  });

  test.each([
    '{"__proto__":{"is_new":true},"name":"x","integration_started_on":"2025-11-01"}',
    '{"constructor":{"prototype":{"is_new":true}},"name":"x","integration_started_on":"2025-11-01"}',
    '{"\\u005f_proto__":{"is_new":true},"name":"x","integration_started_on":"2025-11-01"}',
    '{"prototype":{},"name":"x","integration_started_on":"2025-11-01","is_new":true}',
  ])('cannot reach into the server: %s', async (body) => {
    const before = await send(bellhop(), PARTNERS);
    const { status } = await send(bellhop(), PARTNERS, { body });
    expect([400, 422]).toContain(status);
    expect(({} as { is_new?: boolean }).is_new).toBeUndefined();
    expect((await send(bellhop(), PARTNERS)).body).toEqual(before.body);
  });
});

describeOnEachEngine('text', (start) => {
  test('in any script is kept as it was sent', async () => {
    const bellhop = await start(BACK_OFFICE_ONLY);
    for (const name of [
      'Ünïcödé',
      '日本語',
      'עברית',
      '👩‍👩‍👧‍👦',
      'a\u00a0b',
      "Robert'); drop table--",
      '%00 \\0',
      '\ufeff',
    ]) {
      const created = await bellhop.support('POST', PARTNERS, { ...PARTNER, name });
      expect([created.status, created.body.name]).toEqual([201, name]);
      const { body } = await bellhop.support('GET', `${PARTNERS}/${created.body.id}`);
      expect(body.name).toBe(name);
    }
  });

  test('is measured in characters: 200 of any size', async () => {
    const { support } = await start(BACK_OFFICE_ONLY);
    for (const character of ['x', 'é', '語', '🧳']) {
      const create = async (length: number) =>
        (await support('POST', PARTNERS, { ...PARTNER, name: character.repeat(length) })).status;
      expect([character, await create(200), await create(201)]).toEqual([character, 201, 422]);
    }
    expect((await support('POST', PARTNERS, { ...PARTNER, name: '' })).status).toBe(422);
  });

  test('may not contain control characters, NUL or lone surrogates', async () => {
    const bellhop = await start(BACK_OFFICE_ONLY);
    const { partnerId } = await bellhop.newKey('production');
    for (const bad of [
      '\0',
      '\u0001',
      '\n',
      '\t',
      '\u001b[31m',
      '\u007f',
      '\ud800',
      '\udc00x',
      'x\ud83e',
    ]) {
      const attempts = [
        ['POST', PARTNERS, { ...PARTNER, name: `a${bad}` }],
        ['PATCH', `${PARTNERS}/${partnerId}`, { name: bad }],
        ['POST', `${PARTNERS}/${partnerId}/certification`, { reference: bad }],
        ['POST', `${PARTNERS}/${partnerId}/keys`, { label: bad }],
        ['POST', '/support/v1/tokens', { name: bad, role: 'viewer' }],
      ] as const;
      for (const [method, path, body] of attempts) {
        const reply = await send(bellhop, path, { method, body: JSON.stringify(body) });
        expect([path, bad, reply.status]).toEqual([path, bad, 422]);
      }
    }
  });

  test('with NUL in a reference to another record is refused, not answered with 500', async () => {
    const bellhop = await start(BACK_OFFICE_ONLY);
    const { partnerId } = await bellhop.newKey('production');
    const midoffice = { name: 'x', url: 'https://198.51.100.7/' };
    const event = { event_id: 'e', type: 'created', partner_order_id: 'o' };
    const attempts = [
      ['PATCH', `${PARTNERS}/${partnerId}`, { midoffice_id: 'a\0' }],
      ['POST', '/support/v1/production/midoffices', { ...midoffice, signing_key_id: '\0' }],
      ['POST', '/orders/v1/production/events', { ...event, partner_id: 'a\0b' }],
      [
        'POST',
        '/orders/v1/production/events',
        { ...event, partner_id: partnerId, midoffice_id: '\0' },
      ],
    ] as const;
    for (const [method, path, body] of attempts) {
      const reply = await send(bellhop, path, { method, body: JSON.stringify(body) });
      expect([path, reply.status]).toEqual([path, 422]);
    }
  });

  test('that is not UTF-8 never causes a 500', async () => {
    const bellhop = await start(BACK_OFFICE_ONLY);
    const bytes = Buffer.from(
      JSON.stringify({ ...PARTNER, name: 'x\u0001\u0001' }).replaceAll('\\u0001', '\u0001'),
    );
    // A lone continuation byte, and the first half of a surrogate as CESU-8 would write it.
    const body = new Uint8Array(bytes.map((byte) => (byte === 1 ? 0xbf : byte)));
    const { status } = await send(bellhop, PARTNERS, { body });
    expect([201, 400, 422]).toContain(status);
  });

  test('in the path that no id can contain gets 404, not 500', async () => {
    const bellhop = await start(BACK_OFFICE_ONLY);
    for (const id of ['%00', 'a%00b', '%F0%9F%A7%B3', "'", '..%2f..', '%20', 'x'.repeat(299)]) {
      for (const path of [`${PARTNERS}/${id}`, `/support/v1/production/keys/${id}`]) {
        expect([path, (await send(bellhop, path)).status]).toEqual([path, 404]);
      }
      for (const path of [`/support/v1/tokens/${id}`, `/support/v1/production/keys/${id}`]) {
        const { status } = await send(bellhop, path, { method: 'DELETE' });
        expect([path, status]).toEqual([path, 404]);
      }
    }
  });

  test('in a filter that nothing can match matches nothing, or is refused', async () => {
    const bellhop = await start(BACK_OFFICE_ONLY);
    const audit = '/support/v1/production/audit';
    for (const value of ['%00', 'a%00', '%F0%9F%A7%B3', "'", '']) {
      for (const path of [
        `/support/v1/production/keys?partner_id=${value}`,
        `${audit}?subject=${value}`,
        `${audit}?actor=${value}`,
        `${audit}?action=${value}`,
      ]) {
        const { status, body } = await send(bellhop, path);
        expect([path, status]).toEqual([path, value.includes('%00') ? 422 : 200]);
        if (status === 200) expect(body.items).toEqual([]);
      }
    }
  });
});

describe('an address', () => {
  test.each([
    '/nothing',
    '/support/v1',
    '/support/v2/production/partners',
    '/support/v1/production',
    '/support/v1/production/partners/',
    '/support/v1/production/partners/x/y',
    '//support/v1/production/partners',
    `/support/v1/production/partners/${'x'.repeat(400)}`,
    '/support/v1/production/partners/%zz',
    '/%',
    `/${'x'.repeat(5_000)}`,
  ])('that does not exist gets a problem with 404 or 400: %s', async (path) => {
    const { status } = await send(bellhop(), path);
    expect([400, 404]).toContain(status);
  });

  test.each(['staging', 'PRODUCTION', 'production%20', '%00', '__proto__', 'constructor'])(
    'of an environment %s is not found',
    async (environment) => {
      for (const list of ['partners', 'keys', 'audit']) {
        expect(await send(bellhop(), `/support/v1/${environment}/${list}`)).toMatchObject({
          status: 404,
          body: { code: 'environment_not_found' },
        });
      }
    },
  );

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('does not take %s', async (method) => {
    const { status, body, headers } = await send(bellhop(), `${PARTNERS}?limit=1`, { method });
    expect([status, body.code]).toEqual([405, 'method_not_allowed']);
    expect(headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
    const one = await send(bellhop(), '/support/v1/sandbox/keys/7/rotation', { method });
    expect([one.status, one.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('answers HEAD like GET, without a body', async () => {
    const { status, body } = await send(bellhop(), PARTNERS, { method: 'HEAD' });
    expect([status, body]).toEqual([200, '']);
  });
});

test('invalid HTTP gets an answer and a closed connection', async () => {
  const { hostname, port } = new URL(bellhop().addresses.backOffice);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end('HELO bellhop\r\n\r\n');
  let reply = '';
  for await (const chunk of socket) reply += chunk;
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
});
