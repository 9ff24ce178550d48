/** A provider that others wrote: sign-ins that someone tampers with, and what it thinks of our questions after one. */
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  CODE_LIFE_SECONDS,
  REAL_CLIENT,
  startRealProvider,
} from '../../../testing/real-oidc-provider.ts';
import { systemClock } from '../../base/clock.ts';
import { roleMap } from '../../base/config/values.ts';
import { beginAttempt } from './attempt.ts';
import { createProvider, type Prompt } from './provider.ts';

const REDIRECT_URI = 'http://127.0.0.1:8090/console/oidc/callback';
const SIGN_IN_PAGE = 'http://127.0.0.1:8090/sign-in';

/** A browser at the provider. It stops at a page, or when it is sent back to us. */
function openBrowser() {
  const cookies = new Map<string, string>();
  return async function go(
    url: string,
    form?: Record<string, string>,
  ): Promise<{ at: URL; page: string }> {
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = reply.headers.get('location');
    if (location === null) return { at: new URL(url), page: await reply.text() };
    const next = new URL(location, url);
    return next.origin === new URL(REDIRECT_URI).origin ? { at: next, page: '' } : go(next.href);
  };
}

async function opened() {
  const real = await startRealProvider(REDIRECT_URI, (close) => onTestFinished(close));
  const ada = { name: 'Ada', email: 'ada@example.com', roles: ['ops'] };
  real.people.set('ada', ada);
  const provider = createProvider(
    {
      issuer: real.issuer,
      clientId: REAL_CLIENT.id,
      clientSecret: REAL_CLIENT.secret,
      scopes: 'openid profile email',
      rolesClaim: 'roles',
      roleMap: roleMap('ops=admin,desk=support'),
      signOutAtProvider: true,
    },
    systemClock,
  );
  const go = openBrowser();
  /** Goes to the provider and comes back with its answer. */
  const visit = async (prompt?: Prompt, changed: Record<string, string> = {}) => {
    const attempt = beginAttempt(Date.now(), '/');
    const url = new URL(await provider.signInUrl(attempt, { redirectUri: REDIRECT_URI, prompt }));
    for (const [name, value] of Object.entries(changed)) url.searchParams.set(name, value);
    const { at } = await go(url.href);
    const isAsking = at.pathname.startsWith('/interaction/');
    const back = isAsking ? (await go(at.href, { user: 'ada' })).at : at;
    return () => provider.identify(attempt, back);
  };
  const signIn = async (prompt?: Prompt) => (await visit(prompt))();
  return { real, ada, provider, go, visit, signIn };
}

async function signedIn() {
  const it = await opened();
  return { ...it, first: await it.signIn() };
}

test.each<[string, string]>([
  ['nonce', 'failed'],
  ['state', 'failed'],
  ['code_challenge', 'expired'],
])('another %s on the way to the provider is noticed', async (name, code) => {
  const { visit } = await opened();
  const identify = await visit(undefined, { [name]: 'A'.repeat(43) });
  await expect(identify()).rejects.toMatchObject({ code });
});

test('a code cannot be used twice', async () => {
  const identify = await (await opened()).visit();
  expect(await identify()).toMatchObject({ identity: { role: 'admin' } });
  await expect(identify()).rejects.toMatchObject({ code: 'expired' });
});

test('a code that has expired is refused', async () => {
  const { visit } = await opened();
  const identify = await visit();
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + (CODE_LIFE_SECONDS + 1) * 1_000);
  await expect(identify()).rejects.toMatchObject({ code: 'expired' });
});

test('says again who someone is, until the role or the person is gone', async () => {
  const { real, ada, provider, first } = await signedIn();
  expect(first).toMatchObject({
    identity: { role: 'admin' },
    tokens: { idToken: expect.any(String) },
  });
  const { refreshToken = '' } = first.tokens;
  const second = await provider.identifyAgain(refreshToken, 'ada');
  expect(second.identity).toEqual(first.identity);
  real.people.set('ada', { ...ada, roles: ['desk'] });
  const again = await provider.identifyAgain(second.tokens.refreshToken ?? '', 'ada');
  expect(again.identity.role).toBe('support');
  real.people.set('ada', { ...ada, roles: [] });
  const none = await provider.identifyAgain(again.tokens.refreshToken ?? '', 'ada');
  expect(none).toMatchObject({ identity: { role: null }, whyNoRole: { code: 'no_role' } });
  real.people.delete('ada');
  const gone = provider.identifyAgain(none.tokens.refreshToken ?? '', 'ada');
  await expect(gone).rejects.toMatchObject({ code: 'expired' });
});

test('without asking, signs in someone whom it knows, and nobody after they have signed out there', async () => {
  const { provider, go, signIn, first } = await signedIn();
  expect((await signIn('none')).identity).toEqual(first.identity);
  const { idToken } = first.tokens;
  const url = await provider.signOutUrl({ idToken, returnTo: SIGN_IN_PAGE });
  const { page } = await go(url ?? '');
  const [, action = ''] = /action="([^"]+)"/.exec(page) ?? [];
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
  expect((await go(action, { xsrf, logout: 'yes' })).at.href).toBe(SIGN_IN_PAGE);
  await expect(signIn('none')).rejects.toMatchObject({ code: 'signed_out' });
  const { refreshToken = '' } = first.tokens;
  await expect(provider.identifyAgain(refreshToken, 'ada')).rejects.toMatchObject({
    code: 'expired',
  });
});
