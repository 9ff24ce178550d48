/** A session that is not the partner's own, or is not its own any more. */
import { expect, test } from 'vitest';
import { newAgency } from '../../console/e2e/agency.ts';
import { describePortal, settled } from '../../console/e2e/browser.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { PORTAL_SETTINGS, portalPartner, withKey } from './partner.ts';

const bellhop = sharedBellhop(() => PORTAL_SETTINGS);

describePortal('a session in the portal', bellhop, (open) => {
  const partner = portalPartner(bellhop);
  const links = () => `/support/v1/production/partners/${partner().partnerId}`;

  test('of support is marked on every page and without anything to change', async () => {
    const { body } = await bellhop.support('POST', `${links()}/portal-preview`);
    const { page, go } = await open({ to: body.url, token: null });
    await page.getByRole('button', { name: 'Sign in' }).click();
    for (const path of ['', '/limits', '/webhooks', '/receiver', '/keys', '/activity']) {
      await go(`/production${path}`);
      await page.getByText('API support is looking at the portal as Fernweh Reisen').waitFor();
    }
    await go(`/production/keys/${partner().keyId}`);
    await expect.poll(() => page.getByRole('main').getByRole('button').count()).toBe(0);
  });

  test('that support ends leads to the sign-in page, and keeps nothing', async () => {
    const { page, go, expectFailures } = await open({ signIn: withKey(partner()) });
    expectFailures(/\/portal\/v1\//);
    await go('/production/keys');
    await page.getByRole('table').waitFor();
    await bellhop.support('DELETE', `${links()}/portal-sessions`);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('Key id').waitFor();
    await settled(page);
    await expect.poll(() => page.getByRole('table').count()).toBe(0);

    // Nor for another partner who signs in next, even if the server is slow.
    const other = await newAgency(bellhop.support, 'http://127.0.0.1:9/', { partner: 'Another' });
    const held = Promise.withResolvers<void>();
    await page.route('**/portal/v1/production/keys?*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('Key id').fill(other.keyId);
    await page.getByLabel('API key').fill(other.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    expect(await page.locator('[data-loading]').count()).toBe(1);
    held.resolve();
    await page.getByRole('table').getByText(other.keyId).waitFor();
  });
});
