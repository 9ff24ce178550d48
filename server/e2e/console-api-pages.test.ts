import { describe, expect, test } from 'vitest';
import { catalogue } from '../src/base/catalogue.ts';
import { refusals } from '../src/gateway/refusal.ts';
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

  test('describes GET and POST of all 43 endpoints', async () => {
    const { openapi, paths } = await read();
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths).sort()).toEqual(
      catalogue.map(({ endpoint }) => `/${endpoint}`).sort(),
    );
    for (const [path, item] of Object.entries<object>(paths)) {
      expect([path, Object.keys(item)]).toEqual([path, ['get', 'post']]);
    }
  });

  test('invents nothing about the endpoints of the booking core', async () => {
    const { paths, components } = await read();
    const { get, post } = paths['/api/b2b/v3/search/hp/'];
    expect(get.description).toContain('are those of the booking core and are not described here');
    expect(get.requestBody).toBeUndefined();
    const parameters = [{ $ref: '#/components/parameters/DebugMode' }];
    const forwarded = { $ref: '#/components/responses/Forwarded' };
    for (const operation of [get, post]) {
      expect(operation).toMatchObject({
        parameters,
        responses: { 200: forwarded, default: forwarded },
      });
    }
    expect(components.responses.Forwarded.content).toEqual({ '*/*': { schema: {} } });
    expect(components.requestBodies.ForwardedBody.content).toEqual({
      'application/json': { schema: {} },
      '*/*': { schema: {} },
    });
  });

  test('lists every refusal under its status', async () => {
    const { paths, components } = await read();
    const replies = paths['/api/b2b/v3/search/hp/'].post.responses;
    for (const { status, code, meaning } of Object.values(refusals)) {
      expect(replies[status]).toEqual({ $ref: `#/components/responses/Refused${status}` });
      const { description } = components.responses[`Refused${status}`];
      expect(description).toContain(`\`${code}\`: ${meaning}`);
      expect(components.schemas.RefusalCode.enum).toContain(code);
    }
    const ofOverview = paths['/api/b2b/v3/overview/'].get.responses;
    const others = Object.keys(replies).filter((status) => !(status in ofOverview));
    expect(others).toEqual(['501', '502', '504', 'default']);
  });

  test('has no dangling references', async () => {
    const document = await read();
    for (const [, kind, name] of JSON.stringify(document).matchAll(
      /"#\/components\/(\w+)\/([^"]+)"/g,
    )) {
      expect(document.components[kind as string]).toHaveProperty([name as string]);
    }
  });

  test('both documents describe the webhook in its three forms, with its headers', async () => {
    const partner = await read();
    const backOffice = await read('/openapi.json');
    const webhooks = { orderChange: { $ref: '#/components/pathItems/orderChange' } };
    expect([partner.webhooks, backOffice.webhooks]).toEqual([webhooks, webhooks]);
    expect(backOffice.components.pathItems).toEqual(partner.components.pathItems);
    const { parameters, requestBody } = partner.components.pathItems.orderChange.post;
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
