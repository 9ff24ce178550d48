/** The documentation site and the API reference, in a real browser under the listener's own policy. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop();

describeConsole('the documentation', bellhop, (open) => {
  test('is open to everyone, and its search finds a page', async () => {
    const { page } = await open({ to: '/docs', token: null });
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('master key downtime');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/operating\/rotating-the-master-key/);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Console', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('shows its whole menu on wide screens, and on those that are a little less wide', async () => {
    const { page } = await open({ to: '/docs', token: null });
    const menu = page.locator('.VPSidebar');
    for (const width of [1024, 1440, 1536, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const widths = await menu.evaluate((one) => [one.scrollWidth, one.clientWidth]);
      expect([width, widths[0]]).toEqual([width, widths[1]]);
    }
  });

  test("the portal has the partner guide, and nothing of the operators' pages", async () => {
    const { portal } = bellhop.addresses;
    const { page, go } = await open({ to: '/docs/', token: null, at: portal });
    await page.getByRole('link', { name: 'Verifying webhooks' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Verifying webhooks' }).waitFor();
    expect((await fetch(`${portal}/docs/settings`)).status).toBe(404);
    await go('/docs/api/');
    await page.getByRole('heading', { level: 1, name: 'Bellhop partner API' }).waitFor();
  });

  test('the reference has every endpoint, and tries a call in the sandbox', async () => {
    const { sandbox } = bellhop.addresses;
    const { keyId, apiKey } = await bellhop.newKey('sandbox');
    const { page } = await open({ to: '/docs/api/', token: null, otherOrigins: [sandbox] });
    await page.getByRole('heading', { level: 1, name: 'Bellhop partner API' }).waitFor();
    await page.locator('[data-placeholder="janedoe"]').first().fill(keyId);
    await page.getByPlaceholder('********').first().fill(apiKey);
    await page
      .getByRole('button', { name: /Test Request.*get.*overview/i })
      .first()
      .click();
    const reply = page.waitForResponse(`${sandbox}/api/b2b/v3/overview/`);
    await page.getByRole('button', { name: /^Send/ }).first().click();
    expect((await (await reply).json()).data).toHaveLength(43);
  });
});
