import { describe, expect, test } from 'vitest';
import { catalogue } from '../src/catalogue.ts';
import { refusals } from '../src/partner-api/refusal.ts';
import { sharedBackOffice } from '../testing/engines.ts';

const bellhop = sharedBackOffice();
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(bellhop().addresses.backOffice + path, { headers, method });

describe('every reply has headers against misuse by other pages', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/docs'],
    ['GET', '/support/v1/production/partners'],
    ['GET', '/support/v1/nothing'],
    ['GET', '/%ff'],
    ['POST', '/console/session'],
    ['GET', '/openapi.json'],
    ['GET', '/health/live'],
  ])('%s %s', async (method, path) => {
    const { headers } = await get(path, { accept: 'text/html' }, method);
    expect(headers.get('content-security-policy')?.split(';')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toMatch(/^no-(?:store|cache)$/);
  });
});

describe('the console is served', () => {
  test('at /, or says how to build it', async () => {
    const reply = await get('/', { accept: 'text/html' });
    expect([200, 503]).toContain(reply.status);
    expect(reply.headers.get('content-type')).toMatch(/^text\/(?:html|plain); charset=utf-8$/);
    expect(await reply.text()).toMatch(/<!doctype html>|The console is not built; run .*\./i);
    const head = await get('/', { accept: 'text/html' }, 'HEAD');
    expect([head.status, await head.text()]).toEqual([reply.status, '']);
  });

  test('but never in place of an API reply', async () => {
    const accept = 'text/html';
    expect((await get('/support/v1/nothing', { accept })).status).toBe(404);
    expect((await get('/orders/v1/production/events', { accept })).status).toBe(405);
    expect((await get('/', { accept }, 'POST')).status).toBe(404);
    expect((await get('/nothing', { accept: 'application/json' })).status).toBe(404);
  });
});

describe('/openapi/partner.json', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the document.
  const read = async (path = '/openapi/partner.json'): Promise<any> => {
    const reply = await get(path);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ]);
    return reply.json();
  };

  test('lists the 43 endpoints, and describes only the overview', async () => {
    const { openapi, paths } = await read();
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths).sort()).toEqual(
      catalogue.map(({ endpoint }) => `/${endpoint}`).sort(),
    );
    const described = Object.entries<object>(paths).filter(([, item]) => 'get' in item);
    expect(described.map(([path]) => path)).toEqual(['/api/b2b/v3/overview/']);
    const { get: _get, post: _post, ...overview } = paths['/api/b2b/v3/overview/'];
    expect(overview).toEqual({});
    expect(paths['/api/b2b/v3/search/hp/']).toEqual({
      summary: expect.any(String),
      description: expect.stringContaining("are the booking core's"),
    });
  });

  test('lists every refusal under its status', async () => {
    const { paths } = await read();
    const { responses } = paths['/api/b2b/v3/overview/'].get;
    for (const { status, code, meaning } of Object.values(refusals)) {
      expect(responses[status].description).toContain(`\`${code}\`: ${meaning}`);
      const { oneOf } = responses[status].content['application/json'].schema;
      const [asObject, asCode] = oneOf;
      expect(asObject.properties.error.properties.code.enum).toContain(code);
      expect(asCode.properties.error.enum).toContain(code);
    }
  });

  test('has no dangling references', async () => {
    const document = await read();
    for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(document.components.schemas).toHaveProperty(name as string);
    }
  });

  test('both documents describe the webhook in its three forms, with its headers', async () => {
    const partner = await read();
    const backOffice = await read('/openapi.json');
    expect(backOffice.webhooks).toEqual(partner.webhooks);
    const { parameters, requestBody } = partner.webhooks.orderChange.post;
    const names = parameters.map((one: { name: string }) => one.name);
    expect(names).toEqual(
      expect.arrayContaining(['webhook-id', 'webhook-timestamp', 'webhook-signature']),
    );
    const forms = requestBody.content['application/json'].schema.oneOf;
    expect(forms.map((form: { title: string }) => form.title)).toEqual(['data', 'flat', 'both']);
  });

  test("the back office's document includes the console's calls", async () => {
    const { paths, components } = await read('/openapi.json');
    expect(Object.keys(paths['/console/session']).sort()).toEqual(['delete', 'get', 'post']);
    for (const name of ['stats', 'search', 'receiver-check']) {
      expect(paths).toHaveProperty([`/support/v1/{environment}/${name}`]);
    }
    expect(components.securitySchemes.session).toMatchObject({ in: 'cookie' });
  });
});
