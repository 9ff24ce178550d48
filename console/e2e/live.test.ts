import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/shared-bellhop.ts';
import { ADMIN_TOKEN } from '../../server/testing/bellhop.ts';
import { GIVES_UP_AT_ONCE, newAgency } from './agency.ts';
import { describeInChromium } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeInChromium(
  'live data:',
  () => bellhop.addresses.backOffice,
  (open) => {
    test('a page whose server stops answering says so, keeps its data, and recovers on its own', async () => {
      const { midofficeId } = await newAgency(bellhop.support, 'http://127.0.0.1:9/', {
        midoffice: 'Still here',
      });
      const { page, go, expectFailures } = await open();
      await go(`/production/midoffices/${midofficeId}`);
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

    test('nothing that was read before shows after signing out and in again', async () => {
      await newAgency(bellhop.support, 'http://127.0.0.1:9/', { partner: 'Read before' });
      const { page, go } = await open();
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
      expect(await page.getByText('Read before').count()).toBe(0);
      held.resolve();
      await page.getByRole('link', { name: 'Read before' }).waitFor();
    });
  },
);
