/** The search box: pages, actions, records of both environments, and the documentation, by the keyboard alone. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const DEAD = 'http://127.0.0.1:9/';

const results = (page: Page) => page.getByRole('listbox', { name: 'Results' });
const option = (page: Page, name: string) =>
  results(page).getByRole('option', { name, exact: true });
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
}

describeConsole('the search box', bellhop, (open) => {
  test('does what the buttons of the page do, and nothing that the page does not offer', async () => {
    const { keyId } = await newAgency(bellhop.support, DEAD);
    const { page, go } = await open({ to: `/production/keys/${keyId}` });
    await search(page, 'rot key');
    await option(page, 'Rotate key').waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Control+k');
    expect(await page.evaluate('document.activeElement.closest("search")')).toBe(null);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const rotate = page.getByRole('button', { name: 'Rotate', exact: true });
    await expect.poll(() => rotate.evaluate((button) => button.matches(':focus'))).toBe(true);

    await go('/production/audit');
    await search(page, 'rot key');
    await page.getByText('Nothing in production has this id or name.').waitFor();
    expect(await option(page, 'Rotate key').count()).toBe(0);
  });

  test('leads to pages and to the documentation; Escape closes it; Enter alone does nothing', async () => {
    const { page } = await open({ to: '/production/partners' });
    await page.keyboard.press('/');
    await option(page, 'Overview').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await results(page).waitFor({ state: 'hidden' });
    await title(page, 'Partners');
    // Cmd, too, and from a field.
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Meta+k');
    await page.keyboard.type('deliv');
    await option(page, 'Deliveries').waitFor();
    await page.keyboard.press('Enter');
    await title(page, 'Deliveries');

    await search(page, 'rotating master');
    const docs = page.getByRole('group', { name: 'Documentation' });
    await docs.getByRole('option').first().waitFor();
    await page.getByText('Nothing in production').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/operating\/rotating-the-master-key/);
  });

  test('tells what the other environment has, under its own heading', async () => {
    const agency = await newAgency(bellhop.support, DEAD, { partner: 'Across' });
    await report(bellhop.support, agency, ['ELSE-1']);
    await report(bellhop.support, agency, ['ELSE-1']);
    await allAre(bellhop.support, 'exhausted', agency);
    const { page } = await open({ to: '/sandbox' });
    await search(page, 'ELSE-1');
    await page.getByText('Nothing in sandbox has this id or name.').waitFor();
    const there = page.getByRole('group', { name: 'In production: 1 order' });
    await there
      .getByRole('option', { name: /ELSE-1/ })
      .first()
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await title(page, 'Order ELSE-1');
    expect(new URL(page.url()).pathname).toMatch(/^\/production\/deliveries\//);
  });

  test('offers what it knows while the server is slow, and keeps what was chosen', async () => {
    await newAgency(bellhop.support, DEAD, { partner: 'Partridge Travel' });
    const { page } = await open({ to: '/production/audit' });
    const late = Promise.withResolvers<void>();
    await page.route(/production\/search\?q=/, async (route) => {
      const text = new URL(route.request().url()).searchParams.get('q') ?? '';
      if (text === 'part') await late.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/search\?q=part$/);
    await search(page, 'part');
    await asked;
    await option(page, 'Partners').waitFor();
    await page.getByText('Searching…').waitFor();
    await page.keyboard.press('ArrowDown');
    late.resolve();
    await page.getByRole('option', { name: /^Partridge Travel/ }).waitFor();
    await expect.poll(() => option(page, 'Partners').getAttribute('aria-selected')).toBe('true');
  });

  test('never shows the answer to an earlier text', async () => {
    await newAgency(bellhop.support, DEAD, { partner: 'Zephyr' });
    await newAgency(bellhop.support, DEAD, { partner: 'Zephyrine' });
    const { page } = await open({ to: '/production/audit' });
    const late = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await page.route(/production\/search\?q=zephyr$/, async (route) => {
      await late.promise;
      // The page may have given it up.
      await route.continue().catch(() => undefined);
      answered.resolve();
    });
    const asked = page.waitForRequest(/search\?q=zephyr$/);
    await search(page, 'zephyr');
    await asked;
    await page.keyboard.type('ine');
    await page.getByRole('option', { name: /^Zephyrine/ }).waitFor();
    late.resolve();
    await answered.promise;
    expect(await results(page).getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await title(page, 'Zephyrine');
  });
});
