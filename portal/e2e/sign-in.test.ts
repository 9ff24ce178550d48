/** Getting in, with a key and with a link, and out again. */
import { expect, test } from 'vitest';
import { axeFindings } from '../../console/e2e/axe.ts';
import { describePortal } from '../../console/e2e/browser.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { PORTAL_SETTINGS, portalPartner } from './partner.ts';

const bellhop = sharedBellhop(() => ({ ...PORTAL_SETTINGS, BELLHOP_PORTAL_NAME: 'Anywhere' }));

describePortal('signing in to the portal', bellhop, (open) => {
  const partner = portalPartner(bellhop);
  const links = () => `/support/v1/production/partners/${partner().partnerId}`;

  test('with a key id and an API key, and out again', async () => {
    const { keyId, apiKey } = partner();
    const { page, go, expectFailures } = await open({ token: null });
    // The page may read how things are just when the session ends.
    expectFailures(/\/(session|me|home)$/);
    await go('/');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByText('Anywhere').waitFor();
    await page.getByLabel('Key id').fill(keyId);
    await page.getByLabel('API key').fill('not the API key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('API key').fill(apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Fernweh Reisen' }).waitFor();
    await page.getByRole('button', { name: 'account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Key id').waitFor();
    await page.reload();
    await page.getByLabel('Key id').waitFor();
    await expect.poll(() => page.getByText('Fernweh Reisen').count()).toBe(0);
  });

  test('signing in leads to the page that was asked for', async () => {
    const { keyId, apiKey } = partner();
    const { page, go, expectFailures } = await open({ token: null });
    expectFailures(/\/me$/);
    await go('/production/limits');
    await page.getByLabel('Key id').fill(keyId);
    await page.getByLabel('API key').fill(apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
  });

  test('with a link, which needs its button and works once', async () => {
    const { body } = await bellhop.support('POST', `${links()}/portal-links`, {
      scopes: ['read'],
    });
    const { page, go, expectFailures } = await open({ token: null });
    expectFailures(/\/enter\//);
    await go(body.url);
    await page.getByText('Anywhere').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Fernweh Reisen' }).waitFor();
    // The link allows to read only.
    await go('/production/webhooks');
    await expect
      .poll(() => page.getByRole('button', { name: 'Send again since…' }).count())
      .toBe(0);
    await go(body.url);
    await page.getByText('This link does not work any more').waitFor();
  });
});
