/** What refuses calls: in production it says how many before, and everywhere it can be undone for a while. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { axeFindings } from './axe.ts';
import { describeConsole } from './browser.ts';

type Environment = 'production' | 'sandbox';
const bellhop = sharedBellhop();
const HP = 'api/b2b/v3/search/hp/';

describeConsole('a change that refuses calls', bellhop, (open) => {
  async function statusOf(environment: Environment, keyId: string, apiKey: string, path: string) {
    const reply = await fetch(`${bellhop.addresses[environment]}/api/b2b/v3/${path}`, {
      headers: { authorization: basic(keyId, apiKey), ...bellhop.fromNewAddress() },
    });
    await reply.arrayBuffer();
    return reply.status;
  }

  /** A key whose calls are in the usage history. */
  async function usedKey(calls: number, path = 'overview/') {
    const key = await bellhop.newKey('production');
    const base = `/support/v1/production/keys/${key.keyId}`;
    for (let made = 0; made < calls; made++) await call();
    await eventually(
      async () => (await bellhop.support('GET', `${base}/history?step=hour`)).body.items,
      (items: { admitted: number }[]) =>
        items.reduce((sum, { admitted }) => sum + admitted, 0) === calls,
    );
    const endpoint = async (wanted = HP) => {
      const { body } = await bellhop.support('GET', `${base}/endpoints`);
      return body.items.find(({ endpoint }: { endpoint: string }) => endpoint === wanted);
    };
    return { ...key, base, call, endpoint };

    function call() {
      return statusOf('production', key.keyId, key.apiKey, path);
    }
  }

  const dialogOf = (page: Page) => page.getByRole('dialog');
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const notice = (page: Page) => page.locator('[data-notice]');
  const undo = (page: Page) => notice(page).getByRole('button', { name: 'Undo', exact: true });
  /** With the pointer on its button, the notice stays for as long as the test needs it, however busy the machine is. */
  async function said(page: Page, text: string) {
    await notice(page).getByText(text).waitFor();
    await undo(page).hover();
  }

  test('says how many calls a disabled key loses, and the keyboard alone undoes it', async () => {
    const { keyId, call } = await usedKey(3);
    const { page } = await open({ to: `/production/keys/${keyId}` });
    const dialog = dialogOf(page);
    await page.getByRole('button', { name: 'Disable', exact: true }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('3 calls in the last hour would be refused').waitFor();
    expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Disable');
    expect(await call()).toBe(200);

    await page.keyboard.press('Enter');
    await press(page, 'Disable key');
    await said(page, 'The key is disabled.');
    await expect.poll(() => focused(page)).toBe('Enable');
    expect(await call()).toBe(403);
    const axe = { within: '[data-notice]', pointed: undo(page) };
    expect(await axeFindings(page, axe)).toEqual([]);
    await page.keyboard.press('Control+z');
    await notice(page).getByText('The change is undone.').waitFor();
    await page.locator('[data-page-title]').getByText('active').waitFor();
    expect(await call()).toBe(200);
  });

  test('goes on without the number if nobody can count, and the endpoint comes back', async () => {
    const { keyId, endpoint } = await usedKey(2, 'search/hp/');
    const { page, expectFailures } = await open({ to: `/production/keys/${keyId}` });
    const dialog = dialogOf(page);
    const hp = page.getByRole('switch', { name: 'search/hp/ active' });
    await hp.click();
    await dialog.getByText('2 calls in the last hour would be refused').waitFor();
    await press(page, 'Switch off');
    await said(page, 'search/hp/ is switched off.');
    expect(await endpoint()).toMatchObject({ is_active: false });
    await press(page, 'Undo');
    await expect.poll(() => hp.isChecked()).toBe(true);

    expectFailures(/dry_run=true/);
    const held = Promise.withResolvers<void>();
    await page.route(/dry_run=true/, async (route) => {
      await held.promise;
      await route.fulfill({ status: 409, json: { code: 'conflict', detail: 'Nobody counts' } });
    });
    await page.getByRole('button', { name: 'Withdraw search/hp/' }).click();
    await dialog.getByText('This takes longer than usual.').waitFor();
    held.resolve();
    await dialog.getByText('could not be counted. Nobody counts. You can go on').waitFor();
    await press(page, 'Withdraw');
    await said(page, 'search/hp/ is no longer granted.');
    await expect.poll(() => focused(page)).toBe('Grant search/hp/');
    expect(await endpoint()).toBeUndefined();
    await press(page, 'Undo');
    await hp.waitFor();
    expect(await endpoint()).toMatchObject({ is_active: true });
  });

  test('of a limit offers to undo it where that is allowed, with the approval that it takes', async () => {
    const { keyId, partnerId, base, endpoint } = await usedKey(5, 'search/hp/');
    const { requests_number } = await endpoint();
    const { page, go } = await open({ to: `/production/keys/${keyId}` });
    const dialog = dialogOf(page);
    const lower = async (to: string) => {
      await page.getByRole('button', { name: 'Edit limit of search/hp/' }).click();
      await dialog.getByLabel('Calls').fill(to);
      await dialog.getByLabel('Window').selectOption('1 day');
    };
    await lower('2');
    await dialog.getByText('At least 3 calls in the last hour would be refused').waitFor();
    await dialog.getByText('only after the partner is certified').waitFor();
    await press(page, 'Save');
    await notice(page).getByText('Saved search/hp/.').waitFor();
    expect(await endpoint()).toMatchObject({ requests_number: 2 });
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0);

    const certification = `/support/v1/production/partners/${partnerId}/certification`;
    await bellhop.support('POST', certification, { reference: 'CERT-1' });
    await bellhop.support('PUT', `${base}/endpoints`, {
      endpoint: HP,
      requests_number,
      seconds_number: 60,
      approval_reference: 'SALES-1',
    });
    await go(`/production/keys/${keyId}`);
    await lower('4');
    await dialog.getByText('you need an approval reference').waitFor();
    await press(page, 'Save');
    await press(page, 'Undo');
    await dialog.getByText(/^admin lowered search\/hp\//).waitFor();
    await dialog.getByLabel('Approval reference').fill('SALES-2');
    await press(page, 'Undo the change');
    await notice(page).getByText('The change is undone.').waitFor();
    expect(await endpoint()).toMatchObject({ requests_number, seconds_number: 60 });
  });

  test('of a partner names its keys and asks why', async () => {
    const { partnerId, call } = await usedKey(4);
    await bellhop.support('POST', `/support/v1/production/partners/${partnerId}/keys`, {});
    const { page } = await open({ to: `/production/partners/${partnerId}` });
    await press(page, 'Suspend');
    const dialog = dialogOf(page);
    await dialog.getByText('4 calls in the last 24 hours, with 2 keys.').waitFor();
    await dialog.getByLabel('Reason').fill('Unpaid');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await press(page, 'Undo');
    await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
    expect(await call()).toBe(200);
    const { body } = await bellhop.support(
      'GET',
      `/support/v1/production/audit?subject=${partnerId}&action=partner.update`,
    );
    expect(body.items.map(({ after }: { after: object }) => after)).toMatchObject([
      { suspended: false, reverts: body.items[1].id },
      { suspended: true, reason: 'Unpaid' },
    ]);
  });

  test('asks nothing in the sandbox, and can be undone there too', async () => {
    const { keyId, apiKey } = await bellhop.newKey('sandbox');
    const call = () => statusOf('sandbox', keyId, apiKey, 'overview/');
    const { page } = await open({ to: `/sandbox/keys/${keyId}` });
    await press(page, 'Disable');
    await said(page, 'The key is disabled.');
    expect(await dialogOf(page).count()).toBe(0);
    expect(await call()).toBe(403);
    await press(page, 'Undo');
    await notice(page).getByText('The change is undone.').waitFor();
    expect(await call()).toBe(200);
  });
});

function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.textContent');
}
