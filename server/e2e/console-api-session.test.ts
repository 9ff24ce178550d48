import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { ADMIN_TOKEN, startBellhop } from '../testing/bellhop.ts';
import { openBrowser } from '../testing/console-browser.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { newMasterKey } from '../testing/settings.ts';
import { describeWebhooksOnEachEngine, EVENTS } from './webhook-bellhop.ts';

const PARTNERS = '/support/v1/production/partners';
const PARTNER = { name: 'Cookie', integration_started_on: '2025-11-01', is_new: true };
const TRUSTING = { ...BACK_OFFICE_ONLY, BELLHOP_TRUSTED_PROXIES: '127.0.0.1' };

describeWebhooksOnEachEngine("the console's session", TRUSTING, (bellhop) => {
  const browser = () => openBrowser(() => bellhop.addresses.backOffice);

  async function newToken(role: string, name = `A ${role}`) {
    const { body } = await bellhop.support('POST', '/support/v1/tokens', { name, role });
    return body as { id: string; name: string; token: string };
  }

  test('200: signs in with a token, and says who is signed in', async () => {
    const { signIn, call } = browser();
    const { status, body } = await signIn();
    const signedIn = { name: 'admin', role: 'admin', environments: ['production'] };
    expect([status, body]).toEqual([200, signedIn]);
    const again = await call('GET', '/console/session');
    expect([again.status, again.body]).toEqual([200, signedIn]);
  });

  test('the cookie is hidden from scripts, never sent by other sites, and ends with the browser', async () => {
    const one = browser();
    await one.signIn();
    expect(one.setCookie).toMatch(
      /^bellhop_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    await one.signIn(ADMIN_TOKEN, { 'x-forwarded-proto': 'https' });
    expect(one.setCookie).toMatch(
      /^__Host-bellhop_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  test('signing in again ends the previous session', async () => {
    const one = browser();
    await one.signIn();
    const before = String(one.setCookie?.split(';')[0]);
    await one.signIn();
    const { status } = await one.call('GET', '/console/session', undefined, { cookie: before });
    expect(status).toBe(401);
  });

  test('401: for a wrong token, no cookie or an invented cookie', async () => {
    const { signIn, call } = browser();
    const { status, body } = await signIn('wrong', { 'x-forwarded-for': '198.18.0.1' });
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
    expect((await call('GET', '/console/session')).status).toBe(401);
    const cookie = `bellhop_session=${randomBytes(32).toString('base64url')}`;
    expect((await call('GET', '/console/session', undefined, { cookie })).status).toBe(401);
    expect((await call('GET', PARTNERS, undefined, { cookie })).status).toBe(401);
  });

  test('403: for a token that may only report orders', async () => {
    const one = browser();
    const { status, body } = await one.signIn((await newToken('orders')).token);
    expect([status, body.code]).toEqual([403, 'forbidden']);
    expect(one.setCookie).toBeNull();
  });

  test('422: without a token', async () => {
    const { status, body } = await browser().call('POST', '/console/session', {});
    expect([status, body.code]).toEqual([422, 'validation_failed']);
  });

  test('429: after 20 failures from one address, even with the right token; other addresses are not affected', async () => {
    const guesser = { 'x-forwarded-for': '198.18.0.20' };
    const { signIn } = browser();
    for (let failures = 0; failures < 20; failures++) {
      expect((await signIn(`guess ${failures}`, guesser)).status).toBe(401);
    }
    const { status, body, headers } = await signIn('guess', guesser);
    expect([status, body.code]).toEqual([429, 'too_many_failed_logins']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
    expect((await signIn(ADMIN_TOKEN, guesser)).status).toBe(429);
    expect((await signIn(ADMIN_TOKEN, { 'x-forwarded-for': '198.18.0.21' })).status).toBe(200);
  });

  test('200: signing out also ends the session on the server', async () => {
    const one = browser();
    await one.signIn();
    const cookie = String(one.setCookie?.split(';')[0]);
    const { status, body } = await one.call('DELETE', '/console/session');
    expect([status, body]).toEqual([200, { continue_at: null }]);
    expect(one.setCookie).toMatch(
      /^bellhop_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await one.call('GET', '/console/session', undefined, { cookie })).status).toBe(401);
    expect((await browser().call('DELETE', '/console/session')).status).toBe(200);
  });

  test('the support API accepts it, and the audit shows the name', async () => {
    const { signIn, call } = browser();
    const token = await newToken('support', 'Mo');
    await signIn(token.token);
    const { status, body } = await call('POST', PARTNERS, PARTNER);
    expect(status).toBe(201);
    const audit = await call('GET', `/support/v1/production/audit?subject=${body.id}`);
    expect(audit.body.items[0]).toMatchObject({ actor: `Mo (${token.id})` });
  });

  test('403: a change without the header that only our pages can add', async () => {
    const { signIn, call } = browser();
    await signIn();
    for (const header of [null, '0', 'true']) {
      const headers = { 'x-bellhop-console': header };
      const { status, body } = await call('POST', PARTNERS, PARTNER, headers);
      expect([status, body.code]).toEqual([403, 'csrf']);
      expect((await call('GET', PARTNERS, undefined, headers)).status).toBe(200);
    }
  });

  test('a Bearer token takes precedence over the cookie and needs no such header', async () => {
    const { signIn, call } = browser();
    await signIn();
    const bearer = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-bellhop-console': null };
    expect((await call('POST', PARTNERS, PARTNER, bearer)).status).toBe(201);
    const wrong = { authorization: 'Bearer wrong' };
    expect((await call('GET', PARTNERS, undefined, wrong)).status).toBe(401);
  });

  test('only a session can leave a use unrecorded', async () => {
    const { id, token } = await newToken('viewer');
    const lastUse = async () => {
      const { body } = await bellhop.support('GET', '/support/v1/tokens?limit=200');
      return body.items.find((one: { id: string }) => one.id === id).last_used_at;
    };
    const { signIn, call } = browser();
    await signIn();
    const bearer = { authorization: `Bearer ${token}`, 'x-bellhop-background': '1' };
    expect((await call('GET', PARTNERS, undefined, bearer)).status).toBe(200);
    expect(await eventually(lastUse, (at) => at !== null)).toMatch(/Z$/);
  });

  test("403: the session has its token's role", async () => {
    const { signIn, call } = browser();
    await signIn((await newToken('viewer')).token);
    expect((await call('GET', PARTNERS)).status).toBe(200);
    const change = await call('POST', PARTNERS, PARTNER);
    expect([change.status, change.body.code]).toEqual([403, 'forbidden']);
    expect((await call('GET', '/support/v1/tokens')).status).toBe(403);
    const check = '/support/v1/production/receiver-check';
    expect((await call('POST', check, { url: 'ftp://x' })).status).toBe(403);
  });

  test('ends when its token is deleted', async () => {
    const { signIn, call } = browser();
    const token = await newToken('viewer');
    await signIn(token.token);
    expect((await call('GET', PARTNERS)).status).toBe(200);
    await bellhop.support('DELETE', `/support/v1/tokens/${token.id}`);
    expect((await call('GET', PARTNERS)).status).toBe(401);
    expect((await call('GET', '/console/session')).status).toBe(401);
  });

  test('cannot report order events, which need a token', async () => {
    const { signIn, call } = browser();
    await signIn();
    expect((await call('POST', EVENTS, {})).status).toBe(401);
  });
});

describe('a session outlives a restart', () => {
  test('but ends when the admin token is replaced', async () => {
    const settings = { ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR: await temporaryFolder() };
    const first = await startBellhop(settings);
    let backOffice = first.addresses.backOffice;
    const { signIn, call } = openBrowser(() => backOffice);
    await signIn();
    await first.stop();

    const second = await startBellhop(settings);
    backOffice = second.addresses.backOffice;
    expect((await call('GET', '/console/session')).status).toBe(200);
    await second.stop();

    const third = await startBellhop({
      ...settings,
      BELLHOP_ADMIN_TOKEN: 'another-token-0123456789',
    });
    backOffice = third.addresses.backOffice;
    expect((await call('GET', '/console/session')).status).toBe(401);
  });
});

describeWithPostgres('a session on PostgreSQL', (_empty, databaseWithTables) => {
  test('is valid on every node', async () => {
    const settings = {
      ...BACK_OFFICE_ONLY,
      BELLHOP_ENVIRONMENTS: 'production',
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
    };
    const nodes = [await startBellhop(settings), await startBellhop(settings)];
    let node = 0;
    const { signIn, call } = openBrowser(() => nodes[node]?.addresses.backOffice as string);
    await signIn();
    node = 1;
    expect((await call('GET', PARTNERS)).status).toBe(200);
    await call('DELETE', '/console/session');
    node = 0;
    expect((await call('GET', PARTNERS)).status).toBe(401);
  });
});
