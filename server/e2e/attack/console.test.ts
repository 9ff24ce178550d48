/** Other sites' pages, and cookies that they plant, against a person who is signed in to the console. */
import { describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type SupportReply } from '../../testing/bellhop.ts';
import { openBrowser } from '../../testing/console-browser.ts';
import { BACK_OFFICE_ONLY } from '../../testing/engines.ts';
import { sharedBellhop } from '../one-bellhop-per-file.ts';

const PARTNERS = '/support/v1/production/partners';
const PARTNER = { name: 'Forged', integration_started_on: '2025-11-01', is_new: true };
const SESSION = '/console/session';

const trusting = sharedBellhop(() => BACK_OFFICE_ONLY);
const trustingNobody = sharedBellhop(() => ({ ...BACK_OFFICE_ONLY, BELLHOP_TRUSTED_PROXIES: '' }));

async function signedIn(bellhop = trusting) {
  const browser = openBrowser(() => bellhop.addresses.backOffice);
  await browser.signIn();
  return { browser, host: new URL(bellhop.addresses.backOffice).host };
}

const outcome = ({ status, body }: SupportReply) => [status, body.code];

describe('a page of another site', () => {
  const forged: [string, Record<string, string | null>][] = [
    ['without our header', { 'x-bellhop-console': null }],
    ['by its Origin', { origin: 'https://evil.test' }],
    ['by an Origin that is hidden', { origin: 'null' }],
    ['by an Origin on another port of the same host', { origin: 'http://127.0.0.1:1' }],
    ['by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['on a sibling subdomain', { 'sec-fetch-site': 'same-site' }],
  ];

  test.each(forged)('cannot change anything: recognised %s', async (_how, headers) => {
    const { browser } = await signedIn();
    expect(outcome(await browser.call('POST', PARTNERS, PARTNER, headers))).toEqual([403, 'csrf']);
  });

  test.each(forged)('cannot sign anybody out: recognised %s', async (_how, headers) => {
    const { browser } = await signedIn();
    const reply = await browser.call('DELETE', SESSION, undefined, headers);
    expect([...outcome(reply), reply.headers.get('set-cookie')]).toEqual([403, 'csrf', null]);
    expect((await browser.call('GET', SESSION)).status).toBe(200);
  });

  test.each(forged.slice(1))('cannot sign anybody in: recognised %s', async (_how, headers) => {
    const browser = openBrowser(() => trusting.addresses.backOffice);
    const reply = await browser.call('POST', SESSION, { token: ADMIN_TOKEN }, headers);
    expect([...outcome(reply), browser.setCookie]).toEqual([403, 'csrf', null]);
  });

  test("the console's own page may make changes, also behind a TLS proxy", async () => {
    const { browser, host } = await signedIn();
    const own = { 'sec-fetch-site': 'same-origin' };
    for (const headers of [
      { ...own, origin: `http://${host}` },
      { ...own, origin: `https://${host}` },
      { ...own, origin: 'https://desk.test', 'x-forwarded-host': 'desk.test' },
    ]) {
      expect((await browser.call('POST', PARTNERS, PARTNER, headers)).status).toBe(201);
    }
  });

  test('X-Forwarded-Host counts only from a trusted proxy', async () => {
    const { browser } = await signedIn(trustingNobody);
    const headers = { origin: 'https://evil.test', 'x-forwarded-host': 'evil.test' };
    expect(outcome(await browser.call('POST', PARTNERS, PARTNER, headers))).toEqual([403, 'csrf']);
  });
});

describe('a planted cookie', () => {
  const overTls = { 'x-forwarded-proto': 'https' };

  test('beside the real one is refused, whichever comes first', async () => {
    const { browser } = await signedIn();
    const real = String(browser.setCookie?.split(';')[0]);
    const planted = `bellhop_session=${'x'.repeat(43)}`;
    for (const cookie of [`${real}; ${planted}`, `${planted}; ${real}`]) {
      expect((await browser.call('GET', PARTNERS, undefined, { cookie })).status).toBe(401);
    }
  });

  test('is ignored over TLS, where only the __Host- name counts', async () => {
    const { browser } = await signedIn();
    const stolenWay = String(browser.setCookie?.split(';')[0]);
    const plain = { ...overTls, cookie: stolenWay };
    expect((await browser.call('GET', PARTNERS, undefined, plain)).status).toBe(401);
    await browser.signIn(ADMIN_TOKEN, overTls);
    expect(browser.setCookie).toMatch(
      /^__Host-bellhop_session=[\w-]{43}; .*; Secure; SameSite=Strict$/,
    );
    expect((await browser.call('GET', PARTNERS, undefined, overTls)).status).toBe(200);
    const cookie = `${stolenWay}; ${browser.setCookie?.split(';')[0]}`;
    const both = { ...overTls, cookie };
    expect((await browser.call('GET', PARTNERS, undefined, both)).status).toBe(200);
    const out = await browser.call('DELETE', SESSION, undefined, overTls);
    expect(out).toMatchObject({ status: 200, body: { continue_at: null } });
    expect(browser.setCookie).toMatch(
      /^__Host-bellhop_session=; Max-Age=0; .*; Secure; SameSite=Strict$/,
    );
  });

  test('X-Forwarded-Proto counts only from a trusted proxy', async () => {
    const browser = openBrowser(() => trustingNobody.addresses.backOffice);
    await browser.signIn(ADMIN_TOKEN, overTls);
    expect(browser.setCookie).toMatch(/^bellhop_session=[\w-]{43}; .*SameSite=Strict$/);
    expect((await browser.call('GET', PARTNERS, undefined, overTls)).status).toBe(200);
  });
});

test.each(['/openapi.json', '/openapi/partner.json'])(
  '%s has an ETag, and answers 304 if it has not changed',
  async (path) => {
    const first = await fetch(trusting.addresses.backOffice + path);
    const etag = String(first.headers.get('etag'));
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await first.json()).toMatchObject({ openapi: '3.1.0' });
    const again = await fetch(trusting.addresses.backOffice + path, {
      headers: { 'if-none-match': etag },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  },
);
