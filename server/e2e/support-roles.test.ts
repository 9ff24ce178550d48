import { expect, test } from 'vitest';
import { startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';

const ROLES = ['viewer', 'support', 'admin', 'orders'];

interface Route {
  method: string;
  path: string;
}

/** Which roles may call a route, for every existing and future route. */
function allowedRoles({ method, path }: Route): string[] {
  if (path.startsWith('/orders/')) return ['orders', 'admin'];
  if (/^\/support\/v1\/(tokens|people)\b/.test(path)) return ['admin'];
  if (/\/(import|export)$/.test(path)) return ['admin'];
  return method === 'GET' ? ['viewer', 'support', 'admin'] : ['support', 'admin'];
}

async function routesOf({ support }: TestBellhop): Promise<Route[]> {
  const { body } = await support('GET', '/openapi.json');
  const routes = Object.entries(body.paths as Record<string, object>).flatMap(
    ([path, operations]) =>
      Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
  );
  // The console has its own sign-in.
  return routes.filter(({ path }) => !path.startsWith('/console/'));
}

/** A path whose records do not exist, so that an allowed call changes nothing. */
function addressOf({ path }: Route): string {
  return path.replace('{environment}', 'production').replaceAll(/\{\w+\}/g, 'nonesuch');
}

test('every route accepts the right roles and no others', async () => {
  const bellhop = await startBellhop(BACK_OFFICE_ONLY);
  const routes = await routesOf(bellhop);
  expect(routes.length).toBeGreaterThanOrEqual(20);
  for (const role of ROLES) {
    const name = `a ${role}`;
    const made = await bellhop.support('POST', '/support/v1/tokens', { name, role });
    for (const route of routes) {
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : {};
      const call = (token: string) => bellhop.support(route.method, addressOf(route), body, token);
      const { status, body: reply } = await call(made.body.token);
      const seen = `${role} ${route.method} ${route.path}: ${status}`;
      if (allowedRoles(route).includes(role)) {
        expect(seen).not.toMatch(/: (401|403|405|5\d\d)$/);
      } else {
        expect(seen).toBe(`${role} ${route.method} ${route.path}: 403`);
        expect(reply).toMatchObject({
          code: 'forbidden',
          detail: expect.stringContaining(`the token "${name}" has ${role}.`),
        });
      }
    }
  }
});

test('no support route accepts a call without a valid token', async () => {
  const bellhop = await startBellhop(BACK_OFFICE_ONLY);
  const made = await bellhop.support('POST', '/support/v1/tokens', { name: 'x', role: 'admin' });
  await bellhop.support('DELETE', `/support/v1/tokens/${made.body.id}`);
  const headers = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    `Bearer ${made.body.token}`,
    `Bearer ${'x'.repeat(300)}`,
    'Bearer test-admin-token-0123456789 x',
    'Basic dGVzdC1hZG1pbi10b2tlbi0wMTIzNDU2Nzg5Og==',
    'test-admin-token-0123456789',
  ];
  for (const route of await routesOf(bellhop)) {
    for (const authorization of headers) {
      const reply = await fetch(bellhop.addresses.backOffice + addressOf(route), {
        method: route.method,
        headers: authorization === undefined ? {} : { authorization },
      });
      expect([route, authorization, reply.status]).toEqual([route, authorization, 401]);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="Bellhop back office"');
      expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(await reply.json()).toMatchObject({ code: 'unauthenticated', status: 401 });
    }
  }
});

test('the word Bearer is case-insensitive', async () => {
  const { addresses } = await startBellhop(BACK_OFFICE_ONLY);
  for (const word of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
    const reply = await fetch(`${addresses.backOffice}/support/v1/tokens`, {
      headers: { authorization: `${word} test-admin-token-0123456789` },
    });
    expect(reply.status).toBe(200);
  }
});

test('health, metrics and the OpenAPI document need no token', async () => {
  const { addresses } = await startBellhop(BACK_OFFICE_ONLY);
  for (const path of ['/health/live', '/health/ready', '/metrics', '/openapi.json']) {
    expect((await fetch(addresses.backOffice + path)).status).toBe(200);
  }
});
