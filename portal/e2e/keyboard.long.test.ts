/** The search box and the shortcuts, which the portal shares with the console. */
import { expect, test } from 'vitest';
import { axeFindings } from '../../console/e2e/axe.ts';
import { describePortal } from '../../console/e2e/browser.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { PORTAL_SETTINGS, portalPartner, withKey } from './partner.ts';

const bellhop = sharedBellhop(() => PORTAL_SETTINGS);

describePortal('with the keyboard alone', bellhop, (open) => {
  const partner = portalPartner(bellhop);

  test('people find an order, a page, an action and the documentation', async () => {
    const { page } = await open({ to: '/production', signIn: withKey(partner()) });
    const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    const results = page.getByRole('listbox', { name: 'Results' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('BAD-1');
    await results.getByRole('option', { name: 'What happened to BAD-1' }).waitFor();
    expect(await axeFindings(page, { within: 'header search' })).toEqual([]);
    await page.keyboard.press('Enter');
    await title('Order BAD-1');

    await page.keyboard.press('/');
    await page.keyboard.type('receiver');
    await page.keyboard.press('Enter');
    await title('Receiver');
    await page.keyboard.press('/');
    await page.keyboard.type('change url');
    await results.getByRole('option', { name: /^Change the URL/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Change the URL' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('verifying webhooks');
    await results.getByRole('group', { name: 'Documentation' }).getByRole('option').first().click();
    await page.waitForURL(/\/docs\/partner-guide\/verify/);
  });

  test('"?" shows the keys; "g" leads to a page, "j" and Enter to a record of it', async () => {
    const { page } = await open({ to: '/production', signIn: withKey(partner()) });
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Go to Webhooks').waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    const newest = page.getByRole('main').getByRole('row').getByRole('link').first();
    const order = await newest.textContent();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/webhooks\/del_/);
    await page.getByRole('heading', { level: 1, name: order ?? '' }).waitFor();
  });
});
