/** Getting in to the portal, and out, through its listener. */
import { describe, expect, test } from 'vitest';
import { type SupportReply, startBellhop, type TestKey } from '../testing/bellhop.ts';
import {
  browserWith,
  cookieOf,
  newLink,
  press,
  signedInBrowser,
} from '../testing/portal-browser.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const bellhop = sharedBellhop();
const partner = (partnerId: string) => `/support/v1/sandbox/partners/${partnerId}`;

/** As the portal's sign-in page does. */
function signIn(
  { keyId, apiKey }: Pick<TestKey, 'keyId' | 'apiKey'>,
  headers: object = bellhop.fromNewAddress(),
  environment: 'production' | 'sandbox' = 'sandbox',
): Promise<SupportReply> {
  const body = { key_id: keyId, api_key: apiKey };
  return browserWith(bellhop, environment, '').send('POST', 'session', body, headers);
}

describe('a link', () => {
  test('shows a page with a button, and only the button uses it', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    await bellhop.support('PATCH', partner(partnerId), { name: '<b>Blue & Green</b>' });
    const { id, url } = await newLink(bellhop, 'sandbox', partnerId);
    const { body: portal } = await bellhop.support('GET', '/support/v1/sandbox/portal');
    expect(portal).toEqual({ url: bellhop.addresses.portal });
    expect(url.startsWith(`${portal.url}/enter/sandbox/`)).toBe(true);
    for (const method of ['HEAD', 'GET', 'GET']) {
      const page = await fetch(url, { method });
      expect(page.status).toBe(200);
      expect(page.headers.get('set-cookie')).toBeNull();
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      // Never the path; and not `no-referrer`, with which browsers press the button as `Origin: null`.
      expect(page.headers.get('referrer-policy')).toBe('strict-origin');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      const text = await page.text();
      if (method === 'GET') expect(text).toContain('&#60;b&#62;Blue &#38; Green&#60;/b&#62;');
    }
    const entered = await press(url);
    expect(entered.status).toBe(303);
    expect(entered.headers.get('location')).toBe('/sandbox');
    expect(entered.headers.get('set-cookie')).toMatch(
      /^bellhop_portal_sandbox=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const me = await browserWith(bellhop, 'sandbox', cookieOf(entered)).get('me');
    expect(me.body).toMatchObject({
      partner: { id: partnerId, name: '<b>Blue & Green</b>' },
      environment: 'sandbox',
      scopes: ['read', 'redeliver', 'receiver', 'keys', 'contacts'],
      is_read_only: false,
      came_by: 'link',
    });
    const hours = Date.parse(me.body.expires_at) - Date.parse(me.body.signed_in_at);
    expect(hours).toBe(12 * 3_600_000);
    const { body } = await bellhop.support('GET', `${partner(partnerId)}/portal-links`);
    expect(body.items).toEqual([expect.objectContaining({ id, state: 'used' })]);
  });

  test('that was used, and one that never was, are answered alike', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const { url } = await newLink(bellhop, 'sandbox', partnerId);
    await press(url);
    const never = `${bellhop.addresses.portal}/enter/sandbox/${'x'.repeat(43)}`;
    const shown: string[] = [];
    for (const dead of [url, never, `${never}y`, url.replace('sandbox', 'production')]) {
      for (const reply of [await fetch(dead), await press(dead)]) {
        expect(reply.status).toBe(410);
        expect(reply.headers.get('set-cookie')).toBeNull();
        shown.push(await reply.text());
      }
    }
    expect(new Set(shown).size).toBe(1);
  });

  test('cannot be used by a page of another site', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const { url } = await newLink(bellhop, 'sandbox', partnerId);
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://attacker.example' },
    ];
    for (const headers of foreign) expect((await press(url, headers)).status).toBe(403);
    expect((await press(url, { 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  test('over TLS gives a cookie that only this host can have set', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const { url } = await newLink(bellhop, 'sandbox', partnerId);
    const entered = await press(url, { 'x-forwarded-proto': 'https' });
    expect(entered.headers.get('set-cookie')).toMatch(
      /^__Host-bellhop_portal_sandbox=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  test('is told with its id, its address and its end, and nothing else', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const link = await newLink(bellhop, 'sandbox', partnerId);
    expect(Object.keys(link).sort()).toEqual(['expires_at', 'id', 'url']);
  });

  test.each(['viewer', 'orders'])('cannot be made with the role %s', async (role) => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const { body: token } = await bellhop.support('POST', '/support/v1/tokens', {
      name: role,
      role,
    });
    const path = `${partner(partnerId)}/portal-links`;
    const reply = await bellhop.support('POST', path, { scopes: ['read'] }, token.token);
    expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});

describe('a session', () => {
  test('is of one environment', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const { cookie } = await signedInBrowser(bellhop, 'sandbox', partnerId);
    for (const sent of [cookie, cookie.replace('sandbox', 'production')]) {
      const reply = await browserWith(bellhop, 'production', sent).get('me');
      expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      expect(reply.headers.get('www-authenticate')).toBeNull();
    }
    expect((await browserWith(bellhop, 'sandbox', `${cookie}; ${cookie}x`).get('me')).status).toBe(
      401,
    );
  });

  test('ends when people sign out, but not by a page of another site', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const browser = await signedInBrowser(bellhop, 'sandbox', partnerId);
    const foreign = [{ 'sec-fetch-site': 'same-site' }, { origin: 'https://attacker.example' }];
    for (const headers of foreign) {
      const reply = await browser.send('DELETE', 'session', undefined, headers);
      expect(reply).toMatchObject({ status: 403, body: { code: 'csrf' } });
    }
    expect((await browser.get('me')).status).toBe(200);
    const out = await browser.send('DELETE', 'session');
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toMatch(/^bellhop_portal_sandbox=; Max-Age=0;/);
    expect((await browser.get('me')).status).toBe(401);
    expect((await browser.send('DELETE', 'session')).status).toBe(204);
  });

  test('of support is read-only, and can sign out', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const { body } = await bellhop.support('POST', `${partner(partnerId)}/portal-preview`);
    const browser = browserWith(bellhop, 'sandbox', cookieOf(await press(body.url)));
    expect((await browser.get('me')).body).toMatchObject({
      is_read_only: true,
      came_by: 'support',
      scopes: ['read'],
    });
    expect((await browser.send('DELETE', 'session')).status).toBe(204);
  });

  test('of support ends with the token that opened it, and partners keep their links', async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const support = { name: 'Ann', role: 'support' };
    const { body: ann } = await bellhop.support('POST', '/support/v1/tokens', support);
    const { body: ben } = await bellhop.support('POST', '/support/v1/tokens', support);
    const make = (what: string, token: string, body?: object) =>
      bellhop.support('POST', `${partner(partnerId)}/portal-${what}`, body, token);
    const open = async (what: string, token: string) => {
      const { body } = await make(what, token, what === 'links' ? { scopes: ['read'] } : undefined);
      return browserWith(bellhop, 'sandbox', cookieOf(await press(body.url)));
    };
    const ended = await open('preview', ann.token);
    const others = [await open('preview', ben.token), await open('links', ann.token)];
    const { body: unused } = await make('preview', ann.token);
    const { body: kept } = await make('links', ann.token, { scopes: ['read'] });
    expect((await ended.get('me')).status).toBe(200);
    const gone = () => bellhop.support('DELETE', `/support/v1/tokens/${ann.id}`);
    expect((await gone()).status).toBe(204);
    expect((await ended.get('me')).status).toBe(401);
    expect((await press(unused.url)).status).toBe(410);
    for (const other of others) expect((await other.get('me')).status).toBe(200);
    expect((await press(kept.url)).status).toBe(303);
    expect((await gone()).status).toBe(404);
  });
});

describe('signing in with a key', () => {
  test('gives a session with the scopes of the setting', async () => {
    const key = await bellhop.newKey('sandbox');
    const reply = await signIn(key);
    expect(reply.body).toMatchObject({
      partner: { id: key.partnerId },
      came_by: 'key',
      key_id: key.keyId,
      scopes: ['read', 'redeliver'],
    });
    const browser = browserWith(bellhop, 'sandbox', cookieOf(reply));
    expect((await browser.get('me')).status).toBe(200);
    await bellhop.support('DELETE', `/support/v1/sandbox/keys/${key.keyId}`);
    expect((await browser.get('me')).status).toBe(401);
  });

  test('fails alike for an unknown id, a wrong API key, a revoked key and one of production', async () => {
    const key = await bellhop.newKey('sandbox');
    const revoked = await bellhop.newKey('sandbox');
    await bellhop.support('DELETE', `/support/v1/sandbox/keys/${revoked.keyId}`);
    const production = await bellhop.newKey('production');
    const wrong = [
      { ...key, keyId: '1' },
      { ...key, apiKey: key.apiKey.replaceAll(/\d/g, '0') },
      revoked,
      production,
      { ...key, apiKey: 'with\u0007bell' },
    ];
    const replies = await Promise.all(wrong.map((one) => signIn(one)));
    for (const { status, body, headers } of replies) {
      expect({ status, body }).toEqual({ status: 401, body: replies[0]?.body });
      expect(headers.get('set-cookie')).toBeNull();
    }
    expect(replies[0]?.body.code).toBe('incorrect_credentials');
  });

  test('checks what the partner API checks of the key', async () => {
    const disabled = await bellhop.newKey('sandbox');
    await bellhop.support('PATCH', `/support/v1/sandbox/keys/${disabled.keyId}`, {
      disabled: true,
    });
    expect(await signIn(disabled)).toMatchObject({
      status: 403,
      body: { code: 'api_access_disabled' },
    });
    const elsewhere = await bellhop.newKey('sandbox', { allowed_ips: ['203.0.113.0/24'] });
    expect(await signIn(elsewhere)).toMatchObject({
      status: 403,
      body: { code: 'not_allowed_host' },
    });
    expect((await signIn(elsewhere, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
  });

  test('counts failures together with the partner API', async () => {
    const key = await bellhop.newKey('sandbox');
    const address = bellhop.fromNewAddress();
    const call = async (authorization: string) => {
      const url = `${bellhop.addresses.sandbox}/api/b2b/v3/overview/`;
      return (await fetch(url, { headers: { authorization, ...address } })).status;
    };
    const guess = `Basic ${Buffer.from(`${key.keyId}:guess`).toString('base64')}`;
    for (let failed = 0; failed < 10; failed++) {
      expect(await call(guess)).toBe(401);
      expect((await signIn({ ...key, apiKey: 'guess' }, address)).status).toBe(401);
    }
    const held = await signIn(key, address);
    expect(held).toMatchObject({ status: 429, body: { code: 'too_many_failed_logins' } });
    expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await call(key.authorization)).toBe(429);
    expect((await signIn(key)).status).toBe(200);
  });

  test('ends for an address that the key no longer allows, with its next request', async () => {
    const key = await bellhop.newKey('sandbox');
    const here = { 'x-forwarded-for': '203.0.113.9' };
    const { cookie, send } = browserWith(bellhop, 'sandbox', cookieOf(await signIn(key, here)));
    const me = (headers: object) => send('GET', 'me', undefined, headers);
    expect((await me(here)).status).toBe(200);
    const allowed_ips = ['198.51.100.0/24'];
    await bellhop.support('PATCH', `/support/v1/sandbox/keys/${key.keyId}`, { allowed_ips });
    expect(await me(here)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    const entrance = async (address: string) => {
      const headers = { cookie, 'x-forwarded-for': address };
      const reply = await fetch(`${bellhop.addresses.portal}/portal/v1/entrance`, { headers });
      const { environments } = (await reply.json()) as { environments: object[] };
      return environments;
    };
    const signedIn = expect.objectContaining({ name: 'sandbox', is_signed_in: true });
    expect(await entrance('203.0.113.9')).not.toContainEqual(signedIn);
    expect(await entrance('198.51.100.9')).toContainEqual(signedIn);
    expect((await me({ 'x-forwarded-for': '198.51.100.9' })).status).toBe(200);
  });

  test('counts a failure also if no header of the partner API could hold the credentials', async () => {
    const key = await bellhop.newKey('sandbox');
    const address = bellhop.fromNewAddress();
    const tooLong = { ...key, apiKey: 'a'.repeat(900) };
    const unprintable = { ...key, apiKey: 'a\u0001b' };
    for (let failed = 0; failed < 10; failed++) {
      expect((await signIn(tooLong, address)).status).toBe(401);
      expect((await signIn(unprintable, address)).status).toBe(401);
    }
    expect(await signIn(key, address)).toMatchObject({
      status: 429,
      body: { code: 'too_many_failed_logins' },
    });
  });

  test('is refused from a page of another site', async () => {
    const key = await bellhop.newKey('sandbox');
    const headers = { ...bellhop.fromNewAddress(), 'sec-fetch-site': 'cross-site' };
    expect(await signIn(key, headers)).toMatchObject({ status: 403, body: { code: 'csrf' } });
  });
});

test('a portal without a partner API signs keys in, unless the setting is empty', async () => {
  const alone = await startBellhop({
    BELLHOP_ROLES: 'back-office,portal',
    BELLHOP_SANDBOX_PORTAL_KEY_SCOPES: '',
    BELLHOP_PRODUCTION_PORTAL_KEY_SCOPES: 'keys',
  });
  const sign = async (environment: 'production' | 'sandbox', apiKey?: string) => {
    const key = await alone.newKey(environment);
    const body = { key_id: key.keyId, api_key: apiKey ?? key.apiKey };
    return browserWith(alone, environment, '').send('POST', 'session', body);
  };
  expect(await sign('sandbox')).toMatchObject({ status: 403, body: { code: 'key_sign_in_off' } });
  expect((await sign('production')).body.scopes).toEqual(['read', 'keys']);
  expect((await sign('production', 'guess')).status).toBe(401);
});

test('the document names the cookie of each environment, also over https', async () => {
  const reply = await fetch(`${bellhop.addresses.portal}/openapi.json`);
  const { components, security, paths } = (await reply.json()) as {
    components: { securitySchemes: Record<string, { name: string }> };
    security: object[];
    paths: Record<string, Record<string, { security?: object[] }>>;
  };
  const { securitySchemes: schemes } = components;
  const key = await bellhop.newKey('sandbox');
  const opened = cookieOf(await signIn(key)).split('=')[0];
  const entered = await press((await newLink(bellhop, 'sandbox', key.partnerId)).url, {
    'x-forwarded-proto': 'https',
  });
  const names = Object.values(schemes).map(({ name }) => name);
  expect(names).toContain(opened);
  expect(names).toContain(cookieOf(entered).split('=')[0]);
  expect(names.sort()).toEqual([
    '__Host-bellhop_portal_production',
    '__Host-bellhop_portal_sandbox',
    'bellhop_portal_production',
    'bellhop_portal_sandbox',
  ]);
  expect(security).toEqual(Object.keys(schemes).map((name) => ({ [name]: [] })));
  expect(paths['/portal/v1/{environment}/session']?.delete?.security).toEqual(security);
});

test('nothing that opens a session is stored, only digests', async () => {
  const { partnerId } = await bellhop.newKey('sandbox');
  const { url } = await newLink(bellhop, 'sandbox', partnerId);
  const cookie = cookieOf(await press(url));
  const path = '/support/v1/sandbox/audit?limit=200';
  const seen = [
    await bellhop.support('GET', path),
    await bellhop.support('GET', `${partner(partnerId)}/portal-links`),
    await bellhop.support('GET', `${partner(partnerId)}/portal-sessions`),
  ].map(({ body }) => JSON.stringify(body));
  for (const secret of [url.split('/').at(-1) as string, cookie.split('=')[1] as string]) {
    for (const text of seen) expect(text).not.toContain(secret);
  }
  expect(seen[0]).toContain('portal_session.open');
});
