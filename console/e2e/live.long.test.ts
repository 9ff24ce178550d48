import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { ADMIN_TOKEN, spawnBellhop } from '../../server/testing/bellhop.ts';
import { temporaryFolder } from '../../test/support.ts';
import { GIVES_UP_AT_ONCE, newAgency } from './agency.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeConsole('live data:', bellhop, (open) => {
  test('a page whose server stops answering says so, keeps its data, and recovers on its own', async () => {
    const { midofficeId } = await newAgency(bellhop.support, 'http://127.0.0.1:9/', {
      midoffice: 'Still here',
    });
    const { page, expectFailures } = await open({ to: `/production/midoffices/${midofficeId}` });
    expectFailures(/\/support\//);
    await page.route('**/support/**', (route) => route.abort());
    await page.getByText(/^Not updated for/).waitFor();
    await page.getByRole('alert').getByText('The server cannot be reached.').first().waitFor();
    await page.getByRole('heading', { level: 1, name: 'Still here' }).waitFor();
    await page.unroute('**/support/**');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
  });

  test('a page that cannot reach the server at first opens on "Try again"', async () => {
    const { page, expectFailures } = await open();
    expectFailures(/\/console\/session$/);
    await page.route('**/console/session', (route) => route.abort());
    await page.goto('/production/partners');
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.unroute('**/console/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Partners' }).waitFor();
  });

  test('what does not exist is not tried again', async () => {
    const { page, expectFailures } = await open();
    expectFailures(/\/cases\//);
    await page.goto('/production/cases/nope');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('a stopped server is one banner, pages still open, and all goes on when it is back', async () => {
    const settings = {
      ...GIVES_UP_AT_ONCE,
      BELLHOP_DATA_DIR: await temporaryFolder(),
      BELLHOP_BACK_OFFICE_PORT: '0',
    };
    const first = await spawnBellhop(settings);
    const { midofficeId } = await newAgency(first.support, 'http://127.0.0.1:9/', {
      midoffice: 'Still here',
    });
    const { page, go, expectFailures } = await open({ at: first.addresses.backOffice });
    expectFailures(/./);
    await go(`/production/midoffices/${midofficeId}`);
    await page.evaluate('window.notReloaded = true');
    await first.kill();
    const banner = page.getByText('The server cannot be reached.');
    await banner.waitFor();

    // Everything stays as it was read, without a second message.
    await page
      .getByText(/^Not updated for/)
      .first()
      .waitFor();
    await page.getByRole('heading', { level: 1, name: 'Still here' }).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await expect.poll(() => banner.count()).toBe(1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('alert').getByText('nobody knows whether this was done').waitFor();
    await page.getByRole('button', { name: 'Keep sending' }).click();

    // A page that was not shown before.
    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByRole('alert').waitFor({ state: 'hidden' });

    const port = new URL(first.addresses.backOffice).port;
    await spawnBellhop({ ...settings, BELLHOP_BACK_OFFICE_PORT: port });
    await banner.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.getByText('created the midoffice').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.evaluate('window.notReloaded')).toBe(true);
  });

  test('nothing that was read before shows after signing out and in again', async () => {
    await newAgency(bellhop.support, 'http://127.0.0.1:9/', { partner: 'Read before' });
    const { page, go, expectFailures } = await open();
    // The page may read just when the session ends.
    expectFailures(/\/support\//);
    await go('/production/partners?name=Read');
    await page.getByRole('link', { name: 'Read before' }).waitFor();
    await page.getByRole('button', { name: /account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Your personal token').fill(ADMIN_TOKEN);
    // From here on nothing new can be read.
    const held = Promise.withResolvers<void>();
    await page.route('**/support/**', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Partners', exact: true }).click();
    await page.getByLabel('Name').fill('Read');
    await page.waitForURL('**/production/partners?name=Read');
    await page.locator('[data-loading]').first().waitFor();
    await expect.poll(() => page.getByText('Read before').count()).toBe(0);
    held.resolve();
    await page.getByRole('link', { name: 'Read before' }).waitFor();
  });
});
