import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  newSigningKey,
  type OddProvider,
  startOddProvider,
} from '../../testing/odd-oidc-provider.ts';
import { roleMap } from '../config/values.ts';
import { beginAttempt } from './attempt.ts';
import { LARGEST_PROVIDER_REPLY_BYTES } from './bounded-fetch.ts';
import { CLOCK_TOLERANCE_SECONDS, createProvider, DISCOVERY_LIFE_MS } from './provider.ts';

const REDIRECT_URI = 'http://127.0.0.1:8090/console/oidc/callback';
const DISCOVERY = '/.well-known/openid-configuration';

async function opened({ clientSecret }: { clientSecret?: string | undefined } = {}) {
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
    },
    clock,
  );
  const comeBack = (query: Record<string, string> = {}) => {
    const answer = new URLSearchParams({ code: 'a-code', state: attempt.state, ...query });
    return provider.identify(attempt, new URL(`${REDIRECT_URI}?${answer}`));
  };
  const signInUrl = (again = false) =>
    provider.signInUrl(attempt, { redirectUri: REDIRECT_URI, again });
  return { odd, attempt, clock, comeBack, signInUrl };
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
  expect(new URL(await signInUrl(true)).searchParams.get('prompt')).toBe('login');
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
