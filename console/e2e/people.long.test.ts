import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { SESSION_IDLE_MS } from '../../server/src/office/session.ts';
import { ADMIN_TOKEN } from '../../server/testing/bellhop.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { temporaryFolder } from '../../test/support.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, newToken, report } from './agency.ts';
import { describeConsole } from './browser.ts';

let folder = '';
const bellhop = sharedBellhop(async () => {
  folder = await temporaryFolder();
  return { ...GIVES_UP_AT_ONCE, BELLHOP_DATA_DIR: folder };
});

/** Makes every session look unused for this much longer. */
function passTimeOverSessions(ms: number): void {
  const database = new DatabaseSync(join(folder, 'back-office.db'), { timeout: 5_000 });
  database.prepare('update session set used_at = used_at - ?').run(ms);
  database.close();
}

const signInPage = (page: Page) => page.getByLabel('Your personal token');

describeConsole('people', bellhop, (open) => {
  test('a viewer sees no control that changes data, and the server refuses calls that bypass the page', async () => {
    const receiver = await startReceiver(status(500));
    const agency = await newAgency(bellhop.support, receiver.url);
    const [delivery] = await report(bellhop.support, agency, ['V-1']);
    await allAre(bellhop.support, 'exhausted', agency);
    const token = await newToken(bellhop.support, 'viewer', 'Vera');
    const { page, go, expectFailures } = await open({ token });

    const harmless =
      /^(Hour|Day|Week|Local|UTC|Copy .*|Clear all|(More|Fewer) filters|Load more|Open the menu|Dismiss|V ?Vera.*|[2-5]xx|No answer|time-out|refused|reset|DNS|TLS|Hours|Days|CSV.*|(Changed from default|With refused calls|Not granted) \(\d+\)|Partner|Midoffice|Created|Expires|(Oldest|Newest) first)$/;
    for (const path of [
      '',
      '/deliveries',
      `/deliveries/${delivery}`,
      '/partners',
      `/partners/${agency.partnerId}`,
      '/keys',
      `/keys/${agency.keyId}`,
      '/midoffices',
      `/midoffices/${agency.midofficeId}`,
      '/audit',
    ]) {
      await go(`/production${path}`);
      const names: string[] = await page
        .getByRole('button')
        .evaluateAll((buttons) =>
          buttons.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
        );
      expect([path, names.filter((name) => !harmless.test(name.trim()))]).toEqual([path, []]);
      await expect.poll(() => page.getByRole('switch').count()).toBe(0);
    }
    await expect.poll(() => page.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
    await go('/production/tokens');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();

    expectFailures(/\/support\/v1\//);
    const base = '/support/v1/production';
    const ways: [method: string, path: string, body?: object][] = [
      [
        'POST',
        `${base}/partners`,
        { name: 'x', integration_started_on: '2025-11-01', is_new: true },
      ],
      ['PATCH', `${base}/partners/${agency.partnerId}`, { suspended: true }],
      ['POST', `${base}/partners/${agency.partnerId}/keys`, {}],
      ['POST', `${base}/keys/${agency.keyId}/rotation`, {}],
      ['DELETE', `${base}/keys/${agency.keyId}`],
      ['PATCH', `${base}/midoffices/${agency.midofficeId}`, { paused: true }],
      [
        'POST',
        `${base}/midoffices/${agency.midofficeId}/recovery`,
        { since: '2020-01-01T00:00:00Z' },
      ],
      ['POST', `${base}/deliveries/${delivery}/retry`],
      ['POST', '/support/v1/tokens', { name: 'mine', role: 'admin' }],
      ['GET', '/support/v1/tokens'],
    ];
    const answers = await page.evaluate(
      (calls) =>
        Promise.all(
          calls.map(async ([method, path, body]) => {
            const headers: Record<string, string> = { 'x-bellhop-console': '1' };
            if (body) headers['content-type'] = 'application/json';
            const sent = body ? { body: JSON.stringify(body) } : {};
            const reply = await fetch(path, { method, headers, ...sent });
            return `${method} ${path}: ${reply.status}`;
          }),
        ),
      ways,
    );
    expect(answers).toEqual(ways.map(([method, path]) => `${method} ${path}: 403`));
    expect(receiver.received).toHaveLength(2);
  });

  test('an admin creates a token that expires, and sees when tokens were used', async () => {
    const { page, go, expectFailures } = await open();
    expectFailures(/\/support\/v1\/tokens$/);
    await go('/production/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Contractor');
    await dialog.getByLabel('At a time…').check();
    await dialog.getByLabel('Expires at, date').fill('2020-01-01');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText(/must be in the future/i).waitFor();
    await dialog.getByLabel('In 1 year').check();
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('heading', { name: 'Token of Contractor' }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();

    const cells = page.getByRole('row', { name: /Contractor/ }).getByRole('cell');
    await cells.nth(3).getByText('never').waitFor();
    const expiry = Date.parse((await cells.nth(4).locator('time').getAttribute('datetime')) ?? '');
    expect(Math.round((expiry - Date.now()) / 86_400_000)).toBe(365);
    const own = page.getByRole('row', { name: /^admin/ }).getByRole('cell');
    await own.nth(3).locator('time').waitFor();
    await own.nth(4).getByText('never').waitFor();
  });

  test('nothing carries over from one environment to the other', async () => {
    const agency = await newAgency(bellhop.support, 'http://127.0.0.1:9/', {
      partner: 'Only Live',
    });
    const [delivery] = await report(bellhop.support, agency, ['LIVE-1']);
    const { page, expectFailures } = await open({
      to: '/production/deliveries?partner_order_id=LIVE-1&state=exhausted',
    });
    const search = page.getByRole('combobox', { name: /^Search/ });
    await search.fill('Only Live');
    await page.getByRole('option', { name: /Only Live/ }).waitFor();

    const called: string[] = [];
    page.on('request', (request) => called.push(new URL(request.url()).pathname));
    await page.getByRole('link', { name: 'sandbox', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('heading', { name: 'First steps in sandbox' }).waitFor();
    await expect.poll(() => page.title()).toBe('Overview · sandbox · Bellhop');
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/sandbox');
    await expect.poll(() => search.inputValue()).toBe('');
    await expect.poll(() => search.getAttribute('aria-label')).toBe('Search sandbox');
    await expect.poll(() => page.locator('html').getAttribute('data-environment')).toBe('sandbox');
    await expect.poll(() => page.getByText('Only Live').count()).toBe(0);

    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await page.getByText('No order event has arrived yet.').waitFor();
    await search.fill('Only Live');
    await page.getByText('Nothing in sandbox has this id or name.').waitFor();
    await page.getByRole('group', { name: 'In production: 1 partner' }).waitFor();
    const inProduction = called.filter((path) => path.startsWith('/support/v1/production'));
    expect(inProduction).toEqual(['/support/v1/production/search']);

    expectFailures(/\/support\/v1\/sandbox\/deliveries\//);
    await page.goto(`/sandbox/deliveries/${delivery}`);
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByText('LIVE-1').count()).toBe(0);
  });

  test('signing out ends the session on the server, in every tab', async () => {
    const { page, go, expectFailures } = await open();
    expectFailures(/\/support\/v1\//);
    await go('/production/partners');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    const other = await page.context().newPage();
    await other.goto('/production');
    await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await page.getByRole('button', { name: /account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInPage(page).waitFor();
    expect((await page.context().request.get('/console/session')).status()).toBe(401);
    await signInPage(other).waitFor();
    await page.goBack();
    await signInPage(page).waitFor();
    await page.reload();
    await signInPage(page).waitFor();
  });

  test('an idle session ends; signing in leads back to the same page', async () => {
    const { page, expectFailures } = await open({ to: '/production/deliveries?state=exhausted' });
    expectFailures(/\/support\/v1\//);
    passTimeOverSessions(SESSION_IDLE_MS);
    // The page notices without any input.
    await signInPage(page).waitFor();
    await signInPage(page).fill('a token of nobody');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This token is not known.').waitFor();
    await signInPage(page).fill(ADMIN_TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    expect(new URL(page.url()).search).toBe('?state=exhausted');
  });

  test('a page left alone keeps polling, but does not keep its session alive', async () => {
    const { page, go } = await open({ once: true });
    await page.clock.install();
    await go('/production');
    const background = page.waitForRequest(
      (request) => request.headers()['x-bellhop-background'] === '1',
    );
    await page.clock.fastForward('10:00');
    const reply = await (await background).response();
    expect(reply?.status()).toBe(200);
  });
});
