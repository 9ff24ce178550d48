/** A provider that others wrote: what it thinks of our questions after a sign-in. */
import { expect, onTestFinished, test } from 'vitest';
import { REAL_CLIENT, startRealProvider } from '../../../testing/real-oidc-provider.ts';
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

async function signedIn() {
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
  const signIn = async (prompt?: Prompt) => {
    const attempt = beginAttempt(Date.now(), '/');
    const url = await provider.signInUrl(attempt, { redirectUri: REDIRECT_URI, prompt });
    const { at } = await go(url);
    const isAsking = at.pathname.startsWith('/interaction/');
    const back = isAsking ? (await go(at.href, { user: 'ada' })).at : at;
    return provider.identify(attempt, back);
  };
  const first = await signIn();
  return { real, ada, provider, go, signIn, first };
}

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
