/**
 * Signing in through a real OpenID Connect provider, in a real browser. What needs no browser is in
 * server/e2e/single-sign-on.test.ts, and what needs no Bellhop beside server/src/office/oidc.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../kit/free-port.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { ADMIN_TOKEN } from '../../server/testing/bellhop.ts';
import {
  REAL_CLIENT,
  type RealProvider,
  startRealProvider,
} from '../../server/testing/real-oidc-provider.ts';
import { axeFindings } from './axe.ts';
import { DESKTOP, describeConsole } from './browser.ts';

const CALLBACK = '/console/oidc/callback';
const PARTNERS = '/support/v1/production/partners';
const PARTNER = { name: 'Fernweh', integration_started_on: '2025-11-01', is_new: true };

let provider: RealProvider;
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** The provider must know the address to which people return, before Bellhop starts there. */
const bellhop = sharedBellhop(async () => {
  const port = await freePort();
  const backOffice = `http://127.0.0.1:${port}`;
  provider = await startRealProvider(backOffice + CALLBACK, (close) => closing.push(close));
  return {
    BELLHOP_ROLES: 'back-office',
    BELLHOP_BACK_OFFICE_PORT: String(port),
    BELLHOP_BACK_OFFICE_URL: backOffice,
    BELLHOP_OIDC_ISSUER: provider.issuer,
    BELLHOP_OIDC_CLIENT_ID: REAL_CLIENT.id,
    BELLHOP_OIDC_CLIENT_SECRET: REAL_CLIENT.secret,
    BELLHOP_OIDC_ROLE_MAP: 'api-support=support,platform=admin,everyone=viewer',
  };
});

const start = (page: Page) => page.getByRole('link', { name: 'Sign in with single sign-on' });
const refusal = (page: Page) => page.getByRole('alert');

async function logIn(page: Page, user: string): Promise<void> {
  await start(page).click();
  await page.getByLabel('User').fill(user);
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function audit(actor: string) {
  const query = new URLSearchParams({ actor });
  return (await bellhop.support('GET', `/support/v1/production/audit?${query}`)).body.items;
}

describeConsole('single sign-on', bellhop, (open) => {
  beforeEach(() => {
    provider.beforeTokens = async () => {};
    provider.people.clear();
    provider.people.set('ada', {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      roles: ['everyone', 'api-support'],
    });
    provider.people.set('bob', { name: 'Bob', email: 'bob@example.com', roles: ['sales'] });
  });

  const visit = async () => {
    const opened = await open({ token: null, otherOrigins: [provider.issuer] });
    const { page } = opened;
    return { ...opened, page, context: page.context() };
  };

  test('signs in, returns to the page, and the audit names the person', async () => {
    const { page, context, go } = await visit();
    await go('/production/deliveries?state=exhausted');
    await logIn(page, 'ada');
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    expect(page.url()).toBe(
      `${bellhop.addresses.backOffice}/production/deliveries?state=exhausted`,
    );
    await page.getByRole('button', { name: /Ada Lovelace/ }).waitFor();

    const cookies = await context.cookies(bellhop.addresses.backOffice);
    expect(cookies).toMatchObject([
      { name: 'bellhop_session', httpOnly: true, sameSite: 'Strict', expires: -1 },
    ]);
    const made = await page.evaluate(
      async ([path, body]) => {
        const headers = { 'x-bellhop-console': '1', 'content-type': 'application/json' };
        return (await fetch(path, { method: 'POST', headers, body })).status;
      },
      [PARTNERS, JSON.stringify(PARTNER)] as const,
    );
    expect(made).toBe(201);
    for (const name of ['ada lovelace', 'ADA@example.com']) {
      const [entry] = await audit(name);
      expect(entry).toMatchObject({
        actor: 'Ada Lovelace <ada@example.com> (oidc ada)',
        action: 'partner.create',
      });
    }
  });

  test('signing out ends the session here and at the provider, which asks again', async () => {
    const { page, context, go, expectFailures } = await visit();
    // The page may read just when the session ends.
    expectFailures(/\/support\//);
    const sessionId = async () =>
      (await context.cookies(bellhop.addresses.backOffice)).find(
        ({ name }) => name === 'bellhop_session',
      )?.value;
    await go('/');
    await logIn(page, 'ada');
    await page.getByRole('button', { name: /Ada Lovelace/ }).click();
    const first = await sessionId();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await start(page).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    expect(await sessionId()).toBeUndefined();
    await logIn(page, 'ada');
    await page.getByRole('button', { name: /Ada Lovelace/ }).waitFor();
    expect(await sessionId()).toMatch(/^[\w-]{43}$/);
    expect(await sessionId()).not.toBe(first);
  });

  test('a role that must be confirmed again is, without a question, as long as the provider knows the person', async () => {
    const { page, context, go, expectFailures } = await visit();
    expectFailures(/\/support\/v1\/|\/console\/session/);
    await go('/production/deliveries');
    await logIn(page, 'ada');
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    const body = JSON.stringify({ status: 401, code: 'reauthentication_required' });
    const refused = { status: 401, contentType: 'application/problem+json', body };
    const partners = /\/support\/v1\/production\/partners/;
    await page.route(partners, (route) => route.fulfill(refused), { times: 1 });
    const asked = page.waitForRequest(/prompt=none/);
    await page.getByRole('link', { name: 'Partners' }).click();
    await asked;
    await page.getByRole('heading', { level: 1, name: 'Partners' }).waitFor();

    await context.clearCookies({ domain: 'localhost' });
    await page.route(/\/console\/session/, (route) => route.fulfill(refused));
    await go('/production/partners');
    await refusal(page).getByText('You are no longer signed in at the sign-in provider.').waitFor();
  });

  test('someone without a role gets a clear page, and can take another account', async () => {
    const { page, context, go } = await visit();
    await go('/production');
    await logIn(page, 'bob');
    await refusal(page).getByText('Your account has no role in Bellhop.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize(DESKTOP);
    expect(await audit('Bob')).toEqual([]);
    // The provider knows Bob, but asks again, so that he can choose another account.
    await start(page).click();
    await page.getByLabel('User').waitFor();
    await context.clearCookies({ domain: 'localhost' });
    await go('/');
    await logIn(page, 'ada');
    await page.getByRole('button', { name: /Ada Lovelace/ }).waitFor();
  });

  test('an admin sees who has signed in, and signs someone out everywhere', async () => {
    const ada = await visit();
    await ada.go('/');
    await logIn(ada.page, 'ada');
    await ada.page.getByRole('button', { name: /Ada Lovelace/ }).waitFor();
    // Otherwise it asks for news once more, and is refused, whenever that is.
    await ada.page.close();
    const { page } = await open({ to: '/production/tokens' });
    const row = page.getByRole('table', { name: 'People' }).getByRole('row', { name: /Ada/ });
    await row.getByText('ada@example.com').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize(DESKTOP);
    await row.getByRole('button', { name: 'Sign out Ada Lovelace everywhere' }).click();
    const dialog = page.getByRole('dialog');
    expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
    await page.setViewportSize(DESKTOP);
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByText('All sessions of Ada Lovelace have ended.').waitFor();
    expect((await ada.context.request.get('/console/session')).status()).toBe(401);
  });

  test('cancelling leads back, and the next attempt asks who it is', async () => {
    const { page, go } = await visit();
    await go('/production');
    await start(page).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await refusal(page).getByText('You cancelled the sign-in').waitFor();
    await expect.poll(() => start(page).getAttribute('href')).toContain('prompt=login');
  });

  test('the page says what to do after a sign-in that failed or took too long', async () => {
    const { page, go } = await visit();
    await go('/sign-in?refused=failed');
    await refusal(page).getByText("Bellhop could not verify the provider's answer.").waitFor();
    await go('/sign-in?refused=expired');
    const expired = 'The sign-in took too long, or its link was used before. Try again.';
    await refusal(page).getByText(expired).waitFor();
  });

  test('if the provider is down, the page says so and tokens still work', async () => {
    const { page, context, go } = await visit();
    provider.beforeTokens = async () => provider.shut();
    await go('/');
    await logIn(page, 'ada');
    await refusal(page).getByText('The sign-in provider does not answer.').waitFor();
    await page.getByLabel('Your personal token').fill(ADMIN_TOKEN);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: /admin/ }).waitFor();
    expect(await context.cookies(bellhop.addresses.backOffice)).toHaveLength(1);
    await provider.open();
  });
});

const without = sharedBellhop(() => ({ BELLHOP_ROLES: 'back-office' }));

describeConsole('without single sign-on', without, (open) => {
  test('the sign-in page has no button for it, and its addresses do not exist', async () => {
    const { page } = await open({ to: '/', token: null });
    await page.getByLabel('Your personal token').waitFor();
    await expect.poll(() => start(page).count()).toBe(0);
    for (const path of ['/console/oidc/sign-in', CALLBACK]) {
      const reply = await page.context().request.get(path);
      expect(reply.status()).toBe(404);
    }
  });
});
