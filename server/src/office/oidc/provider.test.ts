import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  newSigningKey,
  type OddProvider,
  startOddProvider,
} from '../../../testing/odd-oidc-provider.ts';
import { roleMap } from '../../base/config/values.ts';
import { beginAttempt } from './attempt.ts';
import {
  CLOCK_TOLERANCE_SECONDS,
  DISCOVERY_LIFE_MS,
  LARGEST_PROVIDER_REPLY_BYTES,
} from './discovery.ts';
import { createProvider, LONGEST_ID_TOKEN_HINT, type Prompt } from './provider.ts';

const REDIRECT_URI = 'http://127.0.0.1:8090/console/oidc/callback';
const DISCOVERY = '/.well-known/openid-configuration';

interface Options {
  clientSecret?: string | undefined;
  signOutAtProvider?: boolean;
}

async function opened({ clientSecret, signOutAtProvider = true }: Options = {}) {
  const attempt = beginAttempt(Date.now(), '/');
  const odd = await startOddProvider(() => attempt.nonce);
  const clock = new ManualClock();
  const provider = createProvider(
    {
      issuer: odd.issuer,
      clientId: CLIENT_ID,
      clientSecret,
      scopes: 'openid profile email',
      rolesClaim: 'roles',
      roleMap: roleMap('ops=admin'),
      signOutAtProvider,
    },
    clock,
  );
  const signIn = (query: Record<string, string> = {}) => {
    const answer = new URLSearchParams({ code: 'a-code', state: attempt.state, ...query });
    return provider.identify(attempt, new URL(`${REDIRECT_URI}?${answer}`));
  };
  const comeBack = async (query?: Record<string, string>) => (await signIn(query)).identity;
  const signInUrl = (prompt?: Prompt) =>
    provider.signInUrl(attempt, { redirectUri: REDIRECT_URI, prompt });
  return { odd, attempt, clock, provider, signIn, comeBack, signInUrl };
}

test('sends people to the provider with PKCE, state, nonce and the exact redirect URI', async () => {
  const { odd, attempt, signInUrl } = await opened();
  const url = new URL(await signInUrl());
  expect(url.origin + url.pathname).toBe(`${odd.issuer}/auth`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid profile email',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: attempt.challenge,
    code_challenge_method: 'S256',
  });
  for (const prompt of ['login', 'none'] as const) {
    expect(new URL(await signInUrl(prompt)).searchParams.get('prompt')).toBe(prompt);
  }
});

test('accepts a good answer, and proves who asked with the PKCE verifier', async () => {
  const { odd, attempt, comeBack } = await opened();
  odd.claims = { name: 'Ada', email: 'ada@example.com', roles: ['ops'] };
  expect(await comeBack()).toMatchObject({ subject: 's1', name: 'Ada', role: 'admin' });
  const { body, authorization } = odd.tokenRequest ?? {};
  expect(authorization).toBeUndefined();
  expect(Object.fromEntries(body ?? [])).toEqual({
    grant_type: 'authorization_code',
    client_id: CLIENT_ID,
    code: 'a-code',
    redirect_uri: REDIRECT_URI,
    code_verifier: attempt.verifier,
  });
});

describe('sends the client secret', () => {
  test('in the header unless the provider wants it in the body', async () => {
    const header = await opened({ clientSecret: CLIENT_SECRET });
    await header.comeBack();
    expect(header.odd.tokenRequest?.authorization).toMatch(/^Basic /);
    expect(header.odd.tokenRequest?.body.has('client_secret')).toBe(false);

    const body = await opened({ clientSecret: CLIENT_SECRET });
    body.odd.description = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    await body.comeBack();
    expect(body.odd.tokenRequest?.authorization).toBeUndefined();
    expect(body.odd.tokenRequest?.body.get('client_secret')).toBe(CLIENT_SECRET);
  });
});

describe('refuses an ID token', () => {
  const seconds = (fromNow: number) => Math.floor(Date.now() / 1_000) + fromNow;

  test.each<[string, (odd: OddProvider) => void]>([
    ['of another issuer', (odd) => (odd.claims = { iss: 'https://evil.example' })],
    ['for another client', (odd) => (odd.claims = { aud: 'another' })],
    ['for others too', (odd) => (odd.claims = { aud: [CLIENT_ID, 'another'] })],
    ['with another nonce', (odd) => (odd.claims = { nonce: 'another' })],
    ['without a nonce', (odd) => (odd.claims = { nonce: undefined })],
    ['without a subject', (odd) => (odd.claims = { sub: undefined })],
    ['that has expired', (odd) => (odd.claims = { exp: seconds(-CLOCK_TOLERANCE_SECONDS - 5) })],
    ['without a time', (odd) => (odd.claims = { exp: undefined })],
    ['that is not valid yet', (odd) => (odd.claims = { nbf: seconds(300) })],
    ['that is not signed', (odd) => (odd.header = { alg: 'none' })],
    ['signed with the client secret', (odd) => (odd.header = { alg: 'HS256' })],
    ['signed with an unknown key', (odd) => (odd.signWith = newSigningKey('unknown'))],
    ['signed with another key of that id', (odd) => (odd.signWith = newSigningKey('first'))],
  ])('%s', async (_, change) => {
    const { odd, comeBack } = await opened({ clientSecret: CLIENT_SECRET });
    change(odd);
    await expect(comeBack()).rejects.toMatchObject({ code: 'failed' });
  });

  test('but allows for clocks that differ a little', async () => {
    const { odd, comeBack } = await opened();
    odd.claims = { exp: seconds(-CLOCK_TOLERANCE_SECONDS + 5) };
    expect(await comeBack()).toMatchObject({ subject: 's1' });
  });
});

describe('refuses an answer', () => {
  test.each<[string, Record<string, string>, string]>([
    ['with another state', { state: 'another' }, 'failed'],
    ['of another issuer', { iss: 'https://evil.example' }, 'failed'],
    ['of someone who cancelled', { error: 'access_denied' }, 'cancelled'],
    ['of someone who is not signed in there', { error: 'login_required' }, 'signed_out'],
    ['that is an error', { error: 'invalid_scope' }, 'failed'],
    ['of a provider out of order', { error: 'temporarily_unavailable' }, 'unreachable'],
  ])('%s', async (_, query, code) => {
    const { odd, comeBack } = await opened();
    await expect(comeBack(query)).rejects.toMatchObject({ code });
    expect(odd.tokenRequest).toBeUndefined();
  });

  test.each<[string, string, { status: number; body: string }, string]>([
    ['a used code', '/token', { status: 400, body: '{"error":"invalid_grant"}' }, 'expired'],
    ['a wrong secret', '/token', { status: 401, body: '{"error":"invalid_client"}' }, 'failed'],
    ['a fault', '/token', { status: 503, body: '' }, 'unreachable'],
    ['text', '/token', { status: 200, body: 'hello' }, 'failed'],
    [
      'no ID token',
      '/token',
      { status: 200, body: '{"access_token":"a","token_type":"Bearer"}' },
      'failed',
    ],
    ['a redirect', '/token', { status: 302, body: '' }, 'failed'],
    [
      'too much',
      '/keys',
      { status: 200, body: ' '.repeat(LARGEST_PROVIDER_REPLY_BYTES + 1) },
      'unreachable',
    ],
    ['no description', DISCOVERY, { status: 404, body: '' }, 'failed'],
    [
      'the description of another',
      DISCOVERY,
      { status: 200, body: '{"issuer":"https://evil.example"}' },
      'failed',
    ],
  ])('with %s at %s', async (_, path, reply, code) => {
    const { odd, comeBack } = await opened();
    odd.replies.set(path, reply);
    await expect(comeBack()).rejects.toMatchObject({ code });
  });
});

describe('the user info', () => {
  test('adds what the ID token does not have, and overrides nothing', async () => {
    const { odd, comeBack } = await opened();
    odd.claims = { name: 'Ada' };
    odd.userInfo = { sub: 's1', name: 'Other', email: 'ada@example.com', roles: ['ops'] };
    expect(await comeBack()).toMatchObject({
      name: 'Ada',
      email: 'ada@example.com',
      role: 'admin',
    });
  });

  test('is not read if the ID token has everything', async () => {
    const { odd, comeBack } = await opened();
    odd.claims = { name: 'Ada', email: 'ada@example.com', roles: [] };
    odd.userInfo = { sub: 's1', roles: ['ops'] };
    expect(await comeBack()).toMatchObject({ role: null });
    expect(odd.requests).not.toContain('/me');
  });

  test('of someone else is refused', async () => {
    const { odd, comeBack } = await opened();
    odd.userInfo = { sub: 's2', roles: ['ops'] };
    await expect(comeBack()).rejects.toMatchObject({ code: 'failed' });
  });
});

describe("the provider's description and keys", () => {
  const countOf = (odd: OddProvider, path: string) =>
    odd.requests.filter((one) => one === path).length;

  test('are read once, together for those who come at the same time', async () => {
    const { odd, comeBack, signInUrl } = await opened();
    await Promise.all([signInUrl(), signInUrl(), signInUrl()]);
    await comeBack();
    await comeBack();
    expect([countOf(odd, DISCOVERY), countOf(odd, '/keys')]).toEqual([1, 1]);
  });

  test('the description is read again after an hour, and kept if that fails', async () => {
    const { odd, clock, signInUrl } = await opened();
    await signInUrl();
    clock.advance(DISCOVERY_LIFE_MS);
    odd.replies.set(DISCOVERY, { status: 503, body: '' });
    expect(await signInUrl()).toMatch(`${odd.issuer}/auth?`);
    odd.replies.clear();
    odd.description = { authorization_endpoint: `${odd.issuer}/new` };
    expect(await signInUrl()).toMatch(`${odd.issuer}/new?`);
    expect(countOf(odd, DISCOVERY)).toBe(3);
  });

  test('a failed read is not kept', async () => {
    const { odd, signInUrl } = await opened();
    odd.replies.set(DISCOVERY, { status: 503, body: '' });
    await expect(signInUrl()).rejects.toMatchObject({ code: 'unreachable' });
    odd.replies.clear();
    expect(await signInUrl()).toMatch(`${odd.issuer}/auth?`);
  });

  test('new keys are found when the provider rotates them', async () => {
    const { odd, comeBack } = await opened();
    await comeBack();
    const next = newSigningKey('second');
    Object.assign(odd, { published: [next], signWith: next });
    // The library reads the keys again at most once a minute.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await comeBack()).toMatchObject({ subject: 's1' });
    expect(countOf(odd, '/keys')).toBe(2);
  });
});

test('what is logged contains neither tokens nor secrets', async () => {
  const { odd, comeBack } = await opened({ clientSecret: CLIENT_SECRET });
  odd.claims = { nonce: 'another', email: 'ada@example.com' };
  const refusal = await comeBack().catch((error: Error) => error);
  expect(refusal).toMatchObject({ message: expect.stringMatching(/unexpected ID Token "nonce"/) });
  expect(String(refusal)).not.toMatch(/an-access-token|eyJ|ada@example.com/);
  expect(String(refusal)).not.toContain(CLIENT_SECRET);
});

describe('someone without a role', () => {
  test('is told apart from a provider that sends no roles, without what the claims contain', async () => {
    const { odd, signIn } = await opened();
    odd.claims = { name: 'Ada', email: 'ada@example.com', roles: ['sales', 'north'] };
    expect(await signIn()).toMatchObject({
      identity: { role: null },
      whyNoRole: {
        code: 'no_role',
        message: 'the claim roles has values (2), but none that BELLHOP_OIDC_ROLE_MAP names',
      },
    });
    odd.claims = { name: 'Ada', email: 'ada@example.com' };
    const { whyNoRole } = await signIn();
    expect(whyNoRole).toMatchObject({ code: 'no_claim' });
    expect(whyNoRole?.message).toMatch(
      /^neither the ID token nor the user info has the claim roles \(BELLHOP_OIDC_ROLES_CLAIM\); they have iss, aud, sub, .*name, email$/,
    );
    expect(whyNoRole?.message).not.toMatch(/Ada|example\.com|s1/);
    odd.claims = { _claim_names: { roles: 'src1' } };
    expect((await signIn()).whyNoRole).toMatchObject({
      code: 'no_claim',
      message:
        'the provider left the claim roles out because it has too many values (_claim_names)',
    });
  });
});

describe('asking again', () => {
  const ADA = { name: 'Ada', email: 'ada@example.com', roles: ['ops'], nonce: undefined };

  test('takes what the provider says now, and the refresh token that it gives', async () => {
    const { odd, provider } = await opened();
    odd.claims = ADA;
    odd.tokens = { refresh_token: 'second' };
    expect(await provider.identifyAgain('first', 's1')).toMatchObject({
      identity: { subject: 's1', role: 'admin' },
      tokens: { refreshToken: 'second' },
    });
    expect(Object.fromEntries(odd.tokenRequest?.body ?? [])).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'first',
    });
    odd.claims = { ...ADA, roles: [] };
    odd.tokens = {};
    expect(await provider.identifyAgain('second', 's1')).toMatchObject({
      identity: { role: null },
      whyNoRole: { code: 'no_role' },
      tokens: { refreshToken: 'second' },
    });
  });

  test('reads the user info if there is no ID token', async () => {
    const { odd, provider } = await opened();
    odd.tokens = { id_token: undefined };
    odd.userInfo = { sub: 's1', name: 'Ada', roles: ['ops'] };
    expect((await provider.identifyAgain('first', 's1')).identity).toMatchObject({ role: 'admin' });
  });

  test.each<[string, (odd: OddProvider) => void, string]>([
    ['of another person', (odd) => (odd.claims = { ...ADA, sub: 's2' }), 'expired'],
    ['signed by another', (odd) => (odd.signWith = newSigningKey('first')), 'failed'],
    [
      'that it was revoked',
      (odd) => odd.replies.set('/token', { status: 400, body: '{"error":"invalid_grant"}' }),
      'expired',
    ],
    [
      'that it is out of order',
      (odd) => odd.replies.set('/token', { status: 503, body: '' }),
      'unreachable',
    ],
  ])('refuses an answer %s', async (_, change, code) => {
    const { odd, provider } = await opened();
    odd.claims = ADA;
    change(odd);
    await expect(provider.identifyAgain('first', 's1')).rejects.toMatchObject({ code });
  });
});

describe('signing out at the provider', () => {
  const returnTo = 'https://bellhop.example/sign-in';

  test('leads to its page with what it needs to come back', async () => {
    const { odd, provider } = await opened();
    odd.description = { end_session_endpoint: `${odd.issuer}/end` };
    const query = async (idToken: string | undefined) => {
      const url = new URL((await provider.signOutUrl({ idToken, returnTo })) ?? '');
      expect(url.origin + url.pathname).toBe(`${odd.issuer}/end`);
      return Object.fromEntries(url.searchParams);
    };
    const always = { client_id: CLIENT_ID, post_logout_redirect_uri: returnTo };
    expect(await query('an.id.token')).toEqual({ ...always, id_token_hint: 'an.id.token' });
    expect(await query(undefined)).toEqual(always);
    expect(await query('x'.repeat(LONGEST_ID_TOKEN_HINT + 1))).toEqual(always);
  });

  test('is left out if the provider has no page, does not answer, or the operator wants none', async () => {
    const { odd, provider } = await opened();
    odd.replies.set(DISCOVERY, { status: 503, body: '' });
    expect(await provider.signOutUrl({ idToken: 'a', returnTo })).toBeUndefined();
    odd.replies.clear();
    expect(await provider.signOutUrl({ idToken: 'a', returnTo })).toBeUndefined();
    const other = await opened({ signOutAtProvider: false });
    other.odd.description = { end_session_endpoint: `${other.odd.issuer}/end` };
    expect(await other.provider.signOutUrl({ idToken: 'a', returnTo })).toBeUndefined();
  });
});
