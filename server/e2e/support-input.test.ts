import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { sharedBackOffice } from '../testing/engines.ts';
import { PARTNER, PARTNERS, send } from './support-request.ts';

const bellhop = sharedBackOffice();

interface Described {
  parameters?: { name: string; in: string; required?: boolean }[];
}

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

  test('of null is refused with 422 by every operation, also if it needs no body', async () => {
    const { body: document } = await send(bellhop(), '/openapi.json');
    const operations = Object.entries<object>(document.paths).flatMap(([template, item]) => {
      const path = template.replace('{environment}', 'production').replace(/\{\w+\}/g, 'x');
      return Object.entries<Described>(item as never).map(([method, { parameters = [] }]) => {
        const needed = parameters.filter((one) => one.in === 'query' && one.required);
        const query = needed.map(({ name }) => `?${name}=x`).join('');
        return [method.toUpperCase(), path + query] as const;
      });
    });
    for (const [method, path] of operations) {
      // An import is NDJSON, and signing out needs the header of the console first.
      if (method === 'GET' || path.endsWith('/import')) continue;
      if (method === 'DELETE' && path === '/console/session') continue;
      const { status, body } = await send(bellhop(), path, { method, body: ' null ' });
      expect([method, path, status, body.code]).toEqual([method, path, 422, 'validation_failed']);
      expect(body.detail).toContain('must be an object');
    }
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'nonsense',
    null,
  ])('with content type %j is refused with 415', async (type) => {
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

  test('larger than its schema can need is refused with 413, which says how large it may be', async () => {
    const padding = (bytes: number) =>
      `${JSON.stringify(PARTNER).slice(0, -1)}${' '.repeat(bytes)}}`;
    const rest = JSON.stringify(PARTNER).length;
    const { status, body } = await send(bellhop(), PARTNERS, { body: padding(100_000) });
    expect([status, body.code]).toEqual([413, 'body_too_large']);
    const [, limit] = /^The body must have at most ([\d,]+) bytes\.$/.exec(body.detail) ?? [];
    const bytes = Number(limit?.replaceAll(',', ''));
    expect(await send(bellhop(), PARTNERS, { body: padding(bytes - rest) })).toMatchObject({
      status: 201,
    });
    expect(await send(bellhop(), PARTNERS, { body: padding(bytes - rest + 1) })).toMatchObject({
      status: 413,
    });
  });

  test('that is nested too deeply is refused, not answered with 500', async () => {
    const body = `{"name":${'['.repeat(1_000)}${']'.repeat(1_000)}}`;
    const { status, body: problem } = await send(bellhop(), PARTNERS, { body });
    expect([status, problem.detail]).toEqual([422, 'The body must have at most 104 values.']);
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
  ])('cannot pollute prototypes: %s', async (body) => {
    const before = await send(bellhop(), PARTNERS);
    const { status } = await send(bellhop(), PARTNERS, { body });
    expect([400, 422]).toContain(status);
    expect(({} as { is_new?: boolean }).is_new).toBeUndefined();
    expect((await send(bellhop(), PARTNERS)).body).toEqual(before.body);
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
    'with the unknown environment %s gets 404',
    async (environment) => {
      for (const list of ['partners', 'keys', 'audit']) {
        expect(await send(bellhop(), `/support/v1/${environment}/${list}`)).toMatchObject({
          status: 404,
          body: { code: 'environment_not_found' },
        });
      }
    },
  );

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('answers 405 to %s', async (method) => {
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
