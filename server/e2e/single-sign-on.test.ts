/** Signing in through OpenID Connect, as HTTP. The flow in a real browser is in console/e2e/single-sign-on.long.test.ts. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { ATTEMPT_LIFE_MS, beginAttempt } from '../src/office/oidc/attempt.ts';
import { spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type OddProvider,
  startOddProvider,
} from '../testing/odd-oidc-provider.ts';
import { newMasterKey } from '../testing/settings.ts';

// A whole process is started, which takes its time on a busy machine.
const START = '/console/oidc/sign-in';
const CALLBACK = '/console/oidc/callback';
const ADA = { sub: 'ada-1', name: 'Ada', email: 'ada@example.com', roles: ['support'] };

type Headers = Record<string, string>;

/** A browser that keeps every cookie it is given. */
function openVisitor(backOffice: string, more: Headers = {}) {
  const cookies = new Map<string, string>();
  const visitor = {
    setCookies: [] as string[],
    nonce: '',
    async get(path: string, headers: Headers = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const reply = await fetch(backOffice + path, {
        headers: { ...(cookie && { cookie }), ...more, ...headers },
        redirect: 'manual',
      });
      visitor.setCookies = reply.headers.getSetCookie();
      for (const set of visitor.setCookies) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return { status: reply.status, location: reply.headers.get('location') ?? '' };
    },
    /** Goes to the provider; returns what it is asked for. */
    async begin(query = ''): Promise<URLSearchParams> {
      const { status, location } = await visitor.get(START + query);
      expect(status).toBe(303);
      const asked = new URL(location).searchParams;
      visitor.nonce = asked.get('nonce') ?? '';
      return asked;
    },
    async comeBack(asked: URLSearchParams, headers: Headers = {}) {
      const answer = new URLSearchParams({ code: 'a-code', state: asked.get('state') ?? '' });
      return (await visitor.get(`${CALLBACK}?${answer}`, headers)).location;
    },
  };
  return visitor;
}

type Visitor = ReturnType<typeof openVisitor>;

async function startProvider(visitors: () => readonly Visitor[]): Promise<OddProvider> {
  const provider = await startOddProvider(() => visitors().at(-1)?.nonce ?? '');
  provider.claims = ADA;
  return provider;
}

const settingsFor = ({ issuer }: OddProvider) => ({
  ...BACK_OFFICE_ONLY,
  BELLHOP_TRUSTED_PROXIES: '127.0.0.1',
  BELLHOP_OIDC_ISSUER: issuer,
  BELLHOP_OIDC_CLIENT_ID: CLIENT_ID,
  BELLHOP_OIDC_CLIENT_SECRET: CLIENT_SECRET,
});

describe('single sign-on', () => {
  async function started() {
    const visitors: Visitor[] = [];
    const provider = await startProvider(() => visitors);
    const bellhop = await startBellhop(settingsFor(provider));
    const visit = (headers: Headers = {}) => {
      const visitor = openVisitor(bellhop.addresses.backOffice, headers);
      visitors.push(visitor);
      return visitor;
    };
    return { provider, bellhop, visit };
  }

  test('returns to the address that the browser sees, with cookies that fit its connection', async () => {
    const { bellhop, visit } = await started();
    const plain = visit();
    const asked = await plain.begin('?return_to=/production/keys');
    expect(asked.get('redirect_uri')).toBe(bellhop.addresses.backOffice + CALLBACK);
    expect(plain.setCookies).toEqual([
      expect.stringMatching(
        /^bellhop_sign_in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(await plain.comeBack(asked)).toBe('/production/keys');
    expect(plain.setCookies).toEqual([
      'bellhop_sign_in=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
      expect.stringMatching(/^bellhop_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);

    const behindProxy = visit({
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'bellhop.example',
    });
    const askedThere = await behindProxy.begin();
    expect(askedThere.get('redirect_uri')).toBe(`https://bellhop.example${CALLBACK}`);
    expect(behindProxy.setCookies[0]).toMatch(
      /^__Host-bellhop_sign_in=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(await behindProxy.comeBack(askedThere)).toBe('/');
    expect(behindProxy.setCookies[1]).toMatch(/^__Host-bellhop_session=/);
  });

  test('is refused in a browser that did not begin it, or has a planted cookie as well', async () => {
    const { provider, visit } = await started();
    const asked = await visit().begin();
    expect(await visit().comeBack(asked)).toBe('/sign-in?refused=expired');

    const visitor = visit();
    const own = await visitor.begin();
    const [pair = ''] = (visitor.setCookies[0] ?? '').split(';');
    const planted = beginAttempt(Date.now(), '/').cookie;
    const cookie = `${pair}; bellhop_sign_in=${planted}`;
    expect(await visitor.comeBack(own, { cookie })).toBe('/sign-in?refused=expired');
    expect(provider.tokenRequest).toBeUndefined();
  });

  test('opens no session if the state, nonce or code challenge was changed, or the code was used', async () => {
    const { provider, visit } = await started();
    const invalidGrant = { status: 400, body: '{"error":"invalid_grant"}' };
    const over = 'bellhop_sign_in=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax';
    const other = 'A'.repeat(43);
    for (const [changed, change, code] of [
      ['state', (asked) => asked.set('state', other), 'failed'],
      ['nonce', () => Object.assign(provider, { claims: { ...ADA, nonce: other } }), 'failed'],
      // Only the provider knows the challenge, and refuses the code.
      ['code challenge', () => provider.replies.set('/token', invalidGrant), 'expired'],
    ] satisfies [string, (asked: URLSearchParams) => unknown, string][]) {
      const visitor = visit();
      const asked = await visitor.begin();
      change(asked);
      const location = await visitor.comeBack(asked);
      expect([changed, location]).toEqual([changed, `/sign-in?refused=${code}`]);
      expect([changed, visitor.setCookies]).toEqual([changed, [over]]);
      expect((await visitor.get('/console/session')).status).toBe(401);
      provider.claims = ADA;
      provider.replies.clear();
    }

    const visitor = visit();
    const asked = await visitor.begin();
    const [attempt = ''] = (visitor.setCookies[0] ?? '').split(';');
    expect(await visitor.comeBack(asked)).toBe('/');
    provider.replies.set('/token', invalidGrant);
    for (const cookie of ['', attempt]) {
      const again = visit();
      expect(await again.comeBack(asked, { cookie })).toBe('/sign-in?refused=expired');
      expect(again.setCookies).toEqual([over]);
    }
  });

  test('a session that someone planted before is not used', async () => {
    const { visit } = await started();
    const planted = 'x'.repeat(43);
    const visitor = visit();
    const asked = await visitor.begin();
    const [pair = ''] = (visitor.setCookies[0] ?? '').split(';');
    const cookie = `${pair}; bellhop_session=${planted}`;
    expect(await visitor.comeBack(asked, { cookie })).toBe('/');
    expect(visitor.setCookies[1]).toMatch(/^bellhop_session=[\w-]{43};/);
    expect(visitor.setCookies[1]).not.toContain(planted);
    expect((await visitor.get('/support/v1/production/keys')).status).toBe(200);
  });

  test('nobody is sent to another site', async () => {
    const { visit } = await started();
    for (const evil of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      const visitor = visit();
      const asked = await visitor.begin(`?${new URLSearchParams({ return_to: evil })}`);
      expect([evil, await visitor.comeBack(asked)]).toEqual([evil, '/']);
    }
  });

  test('is refused after ten minutes', async () => {
    const { provider, visit } = await started();
    const { cookie, state } = beginAttempt(Date.now() - ATTEMPT_LIFE_MS - 1_000, '/');
    const headers = { cookie: `bellhop_sign_in=${cookie}` };
    const location = await visit().comeBack(new URLSearchParams({ state }), headers);
    expect(location).toBe('/sign-in?refused=expired');
    expect(provider.tokenRequest).toBeUndefined();
  });

  test('is held back after 20 failures from one address, and not at others', async () => {
    const { provider, visit } = await started();
    provider.replies.set('/token', { status: 400, body: '{"error":"invalid_grant"}' });
    const guesser = { 'x-forwarded-for': '198.18.0.20' };
    for (let failures = 0; failures < 20; failures++) {
      const visitor = visit(guesser);
      expect(await visitor.comeBack(await visitor.begin())).toBe('/sign-in?refused=expired');
    }
    provider.replies.clear();
    const held = visit(guesser);
    expect(await held.comeBack(await held.begin())).toBe('/sign-in?refused=held_back');
    const other = visit({ 'x-forwarded-for': '198.18.0.21' });
    expect(await other.comeBack(await other.begin())).toBe('/');
  });

  test('says so if the provider is down from the start, and does not count that as a failure', async () => {
    const { provider, bellhop, visit } = await started();
    provider.replies.set('/.well-known/openid-configuration', { status: 503, body: '' });
    const visitor = visit();
    for (let tries = 0; tries < 25; tries++) {
      expect(await visitor.get(START)).toEqual({
        status: 303,
        location: '/sign-in?refused=unreachable',
      });
    }
    expect(visitor.setCookies).toEqual([]);
    expect((await bellhop.support('GET', '/support/v1/tokens')).status).toBe(200);
    provider.replies.clear();
    expect(await visitor.comeBack(await visitor.begin())).toBe('/');
  });

  test('is only for GET', async () => {
    const { bellhop } = await started();
    for (const method of ['HEAD', 'POST']) {
      for (const path of [START, CALLBACK]) {
        const reply = await fetch(bellhop.addresses.backOffice + path, { method });
        expect([method, path, reply.status]).toEqual([method, path, 405]);
      }
    }
  });

  test('a person has the rights of their role, and no others', async () => {
    const { bellhop, visit } = await started();
    const visitor = visit();
    await visitor.comeBack(await visitor.begin());
    const [pair = ''] = (visitor.setCookies[1] ?? '').split(';');
    expect(pair).toMatch(/^bellhop_session=/);
    expect((await visitor.get('/support/v1/production/keys')).status).toBe(200);
    expect((await visitor.get('/support/v1/tokens')).status).toBe(403);
    const events = await fetch(`${bellhop.addresses.backOffice}/orders/v1/production/events`, {
      method: 'POST',
      headers: { cookie: pair, 'content-type': 'application/json', 'x-bellhop-console': '1' },
      body: '{"events":[]}',
    });
    expect(events.status).toBe(401);
  });

  test('a role that changes ends the other sessions, which do not come back with the role', async () => {
    const { provider, bellhop, visit } = await started();
    const signIn = async (roles: string[]) => {
      provider.claims = { ...ADA, roles };
      const visitor = visit();
      const location = await visitor.comeBack(await visitor.begin());
      const status = async () => (await visitor.get('/support/v1/production/keys')).status;
      return { location, status };
    };
    const first = await signIn(['support']);
    expect(await first.status()).toBe(200);
    expect((await signIn([])).location).toBe('/sign-in?refused=no_role');
    expect(await first.status()).toBe(401);
    const second = await signIn(['support']);
    expect([await first.status(), await second.status()]).toEqual([401, 200]);
    const third = await signIn(['admin']);
    expect([await second.status(), await third.status()]).toEqual([401, 200]);
    const audit = await bellhop.support('GET', '/support/v1/production/audit?actor=Ada');
    expect(audit.body.items.slice(0, 3)).toMatchObject([
      { action: 'person.update', before: { role: 'support' }, after: { role: 'admin' } },
      { action: 'person.update', before: { role: null }, after: { role: 'support' } },
      { action: 'person.update', before: { role: 'support' }, after: { role: null } },
    ]);
  });
});

test('an admin sees who has signed in, and can end all sessions of a person', async () => {
  const visitors: Visitor[] = [];
  const provider = await startProvider(() => visitors);
  const { support, addresses } = await startBellhop(settingsFor(provider));
  const signedIn = async () => {
    const visitor = openVisitor(addresses.backOffice);
    visitors.push(visitor);
    await visitor.comeBack(await visitor.begin());
    return visitor;
  };
  const devices = [await signedIn(), await signedIn()];
  provider.claims = { ...ADA, sub: 'eve-1', name: 'Eve' };
  const other = await signedIn();
  const session = async (visitor: Visitor) => (await visitor.get('/console/session')).status;

  const { items } = (await support('GET', '/support/v1/people')).body;
  expect(items).toMatchObject([
    { name: 'Eve', role: 'support', issuer: provider.issuer, subject: 'eve-1' },
    { name: 'Ada', role: 'support', email: 'ada@example.com', subject: 'ada-1' },
  ]);
  const path = `/support/v1/people/${items[1].id}/sessions`;
  expect((await support('DELETE', path)).status).toBe(204);
  expect(await Promise.all([...devices, other].map(session))).toEqual([401, 401, 200]);
  const audit = await support('GET', '/support/v1/production/audit?action=person.end_sessions');
  expect(audit.body.items).toMatchObject([
    { actor: 'admin (tok_first)', before: { name: 'Ada', sessions: 2 }, after: { sessions: 0 } },
  ]);
  const nobody = await support('DELETE', '/support/v1/people/per_none/sessions');
  expect(nobody).toMatchObject({ status: 404, body: { code: 'person_not_found' } });
});

test('the log has sign-ins and refusals with the person and the reason, without any secret', async () => {
  const visitors: Visitor[] = [];
  const provider = await startProvider(() => visitors);
  const bellhop = await spawnBellhop({ ...settingsFor(provider), BELLHOP_LOG_LEVEL: 'info' });
  const texts: string[] = [];
  createInterface({ input: bellhop.child.stderr as Readable }).on('line', (line) =>
    texts.push(line),
  );
  const logged = (msg: string, count: number) =>
    eventually(
      async () => texts.map((text) => JSON.parse(text)).filter((line) => line.msg === msg),
      (found) => found.length === count,
    );
  const visitor = openVisitor(bellhop.addresses.backOffice, { 'x-forwarded-for': '198.51.100.7' });
  visitors.push(visitor);
  const asked = await visitor.begin();
  await visitor.comeBack(asked);
  const actor = 'Ada <ada@example.com> (oidc ada-1)';
  expect(await logged('signed in to the console', 1)).toMatchObject([
    { level: 'info', actor, real_ip: '198.51.100.7' },
  ]);

  provider.claims = { ...ADA, roles: ['sales'] };
  await visitor.comeBack(await visitor.begin());
  provider.claims = { ...ADA, nonce: 'another' };
  await visitor.comeBack(await visitor.begin());
  expect(await logged('OpenID Connect refused', 2)).toMatchObject([
    { level: 'warn', error: 'no_role', actor, real_ip: '198.51.100.7' },
    {
      level: 'warn',
      error: 'failed',
      reason: expect.stringMatching(/unexpected ID Token "nonce"/),
    },
  ]);
  const all = texts.join('\n');
  const secrets = [CLIENT_SECRET, 'a-code', 'an-access-token', asked.get('state'), 'eyJ'];
  for (const secret of secrets) expect(all).not.toContain(secret);
});

describeWithPostgres('single sign-on on several nodes', (_empty, databaseWithTables) => {
  test('can begin on one node and end on another', async () => {
    const visitors: Visitor[] = [];
    const provider = await startProvider(() => visitors);
    const settings = {
      ...settingsFor(provider),
      BELLHOP_ENVIRONMENTS: 'production',
      BELLHOP_BACK_OFFICE_URL: 'https://bellhop.example',
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
    };
    const nodes = [await startBellhop(settings), await startBellhop(settings)] as const;
    const visitor = openVisitor(nodes[0].addresses.backOffice);
    visitors.push(visitor);
    const asked = await visitor.begin();
    expect(asked.get('redirect_uri')).toBe(`https://bellhop.example${CALLBACK}`);
    const [pair = ''] = (visitor.setCookies[0] ?? '').split(';');
    const there = openVisitor(nodes[1].addresses.backOffice);
    expect(await there.comeBack(asked, { cookie: pair })).toBe('/');
    expect((await there.get('/console/session')).status).toBe(200);
  });
});
