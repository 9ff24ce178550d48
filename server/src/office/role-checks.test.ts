import { expect, test } from 'vitest';
import { describeOnEachBackOffice } from '../../testing/back-office-store.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { CLIENT_ID, startOddProvider } from '../../testing/odd-oidc-provider.ts';
import { roleMap } from '../base/config/values.ts';
import { createLogger } from '../base/logging/logger.ts';
import { recordPerson } from '../resources/people/people.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { createProvider } from './oidc/provider.ts';
import { createOwnPages } from './own-pages.ts';
import { AWAY_PAUSE_MS, createRoleChecks } from './role-checks.ts';
import { createSessions } from './session.ts';

const RECHECK_MS = 3_600_000;
const DUE_MS = RECHECK_MS / 4;
const ADA = { sub: 's1', name: 'Ada', email: 'ada@example.com', nonce: undefined };
const AWAY = { status: 503, body: '' };
const REVOKED = { status: 400, body: '{"error":"invalid_grant"}' };

describeOnEachBackOffice('the role of someone who is signed in', (freshPlace) => {
  async function signedIn({ refreshToken }: { refreshToken?: string | undefined } = {}) {
    const place = await freshPlace();
    const clock = new ManualClock();
    const odd = await startOddProvider(() => '');
    odd.claims = { ...ADA, roles: ['support'] };
    odd.tokens = { refresh_token: 'second' };
    const lines: Record<string, unknown>[] = [];
    const log = createLogger('info', (line) => lines.push(JSON.parse(line)));
    const settings = {
      issuer: odd.issuer,
      clientId: CLIENT_ID,
      clientSecret: undefined,
      scopes: 'openid',
      rolesClaim: 'roles',
      roleMap: roleMap('support=support,admin=admin'),
      signOutAtProvider: true,
    };
    /** As many nodes as the engine can have. */
    const sessionsOf = (store: BackOfficeStore) => {
      const provider = createProvider(settings, clock);
      const checks = createRoleChecks({ store, provider, recheckMs: RECHECK_MS, clock, log });
      return createSessions(store, clock, createOwnPages([]), checks);
    };
    const { store } = await place.open(clock);
    const there = place.engine === 'postgres' ? (await place.open(clock)).store : store;
    const [here, other] = [sessionsOf(store), sessionsOf(there)];
    const identity = { issuer: odd.issuer, subject: 's1', name: 'Ada', email: 'ada@example.com' };
    const person = await recordPerson(store, { ...identity, role: 'support' }, clock.now());
    if (!person) throw new Error('no person');
    const tokens = { refreshToken, idToken: 'an-id-token' };
    const blank = { headers: {}, socket: {} };
    const setCookie = await here.open({ person, tokens }, blank);
    const cookie = String(setCookie?.split(';')[0]);
    const find = (more = {}, sessions = here) =>
      sessions.find({ headers: { cookie, ...more }, socket: {} });
    const row = () => store.db.selectFrom('session').selectAll().executeTakeFirst();
    const asked = () => odd.requests.filter((path) => path === '/token').length;
    /** Until the check that a request has started is over. */
    const confirmed = (atMs: number) => eventually(row, (one) => one?.confirmed_at === atMs);
    return { clock, odd, lines, here, other, cookie, find, row, asked, confirmed };
  }

  const signedInWithToken = () => signedIn({ refreshToken: 'first' });
  const background = { 'x-bellhop-background': '1' };

  test('is confirmed beside a request once a quarter of the time is over, with the newest token', async () => {
    const { clock, odd, find, asked, confirmed } = await signedInWithToken();
    clock.advance(DUE_MS - 1);
    await find();
    expect(asked()).toBe(0);
    clock.advance(1);
    await find(background);
    expect(asked()).toBe(0);
    expect(await find()).toMatchObject({ role: 'support' });
    await confirmed(clock.now());
    expect(odd.tokenRequest?.body.get('refresh_token')).toBe('first');
    clock.advance(DUE_MS);
    await find();
    await confirmed(clock.now());
    expect(odd.tokenRequest?.body.get('refresh_token')).toBe('second');
    expect(asked()).toBe(2);
  });

  test('is asked for once, however many requests of however many nodes wait for it', async () => {
    const { clock, find, asked, here, other } = await signedInWithToken();
    clock.advance(RECHECK_MS);
    const requests = [here, here, other, other].map((sessions) => find({}, sessions));
    for (const found of await Promise.all(requests)) expect(found).toMatchObject({ name: 'Ada' });
    expect(asked()).toBe(1);
  });

  test.each<[string, Record<string, unknown>, string | undefined]>([
    ['taken away', { roles: ['sales'] }, 'no_role'],
    ['not sent any more', {}, 'no_claim'],
    ['another one', { roles: ['admin'] }, undefined],
  ])('%s: the session ends, and the log says why', async (_, claims, error) => {
    const { clock, odd, lines, find, row } = await signedInWithToken();
    odd.claims = { ...ADA, ...claims };
    clock.advance(RECHECK_MS);
    expect(await find(background)).toBeUndefined();
    expect(await row()).toBeUndefined();
    const actor = 'Ada <ada@example.com> (oidc s1)';
    expect(lines).toMatchObject([
      { msg: expect.stringMatching(/^session ended: /), actor, ...(error && { error }) },
    ]);
  });

  test('a session that was ended at the provider ends here', async () => {
    const { clock, odd, find, row } = await signedInWithToken();
    odd.replies.set('/token', REVOKED);
    clock.advance(DUE_MS);
    expect(await find()).toBeDefined();
    await eventually(row, (one) => one === undefined);
    expect(await find()).toBeUndefined();
  });

  test('while the provider is away, requests are served until the time is over, and again when it is back', async () => {
    const { clock, odd, find, row, asked, lines } = await signedInWithToken();
    odd.replies.set('/token', AWAY);
    clock.advance(DUE_MS);
    const claimedAt = (await row())?.confirm_after;
    expect(await find()).toBeDefined();
    await eventually(
      async () => lines.length,
      (count) => count === 1,
    );
    expect(lines[0]).toMatchObject({
      error: 'unreachable',
      msg: expect.stringMatching(/^role not confirmed/),
    });
    // Others do not ask meanwhile.
    expect(await find()).toBeDefined();
    expect(asked()).toBe(1);
    expect(claimedAt).toBeDefined();
    clock.advance(RECHECK_MS - DUE_MS - 1);
    expect(await find(background)).toBeDefined();
    clock.advance(1);
    await expect(find()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    odd.replies.clear();
    clock.advance(AWAY_PAUSE_MS);
    expect(await find()).toMatchObject({ role: 'support' });
  });

  test('without a refresh token, the person has to come back from the provider in time', async () => {
    const { clock, find, asked } = await signedIn();
    clock.advance(RECHECK_MS - 1);
    expect(await find()).toBeDefined();
    clock.advance(1);
    await expect(find()).rejects.toMatchObject({ code: 'reauthentication_required', status: 401 });
    expect(asked()).toBe(0);
  });

  test('the database has the tokens only sealed, and another cookie does not open them', async () => {
    const { here, cookie, row } = await signedInWithToken();
    expect(JSON.stringify(await row())).not.toMatch(/first|an-id-token/);
    expect(await here.close({ headers: { cookie }, socket: {} })).toMatchObject({
      principal: { name: 'Ada' },
      idToken: 'an-id-token',
    });
    expect(await row()).toBeUndefined();
  });
});
