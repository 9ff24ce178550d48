import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop();

describeConsole('addresses', bellhop, (open) => {
  test('a bookmark with filters opens the filtered list, and stays as it was written', async () => {
    const { page, go } = await open();
    const address = '/production/deliveries?state=pending&partner_order_id=4711';
    const asked = page.waitForRequest(/\/support\/v1\/production\/deliveries\?/);
    await go(address);
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe(address);
    expect(new URL((await asked).url()).searchParams.get('partner_order_id')).toBe('4711');
    await expect.poll(() => page.getByLabel('Order id').inputValue()).toBe('4711');
    await expect.poll(() => page.getByLabel('State').inputValue()).toBe('pending');
  });

  test('a changed filter changes the address in place, and "Clear all" empties it', async () => {
    const { page, go } = await open({ to: '/production/audit' });
    await go('/production/deliveries');
    await page.getByLabel('State').selectOption('exhausted');
    await page.waitForURL('**/production/deliveries?state=exhausted');
    await page.getByLabel('Order id').fill('A 1');
    await page.waitForURL('**/production/deliveries?state=exhausted&partner_order_id_prefix=A+1');
    await page.getByRole('button', { name: '5xx' }).click();
    await page.waitForURL(/&status_class=5xx$/);
    // A failure without an answer has no status, so one replaces the other.
    await page.getByRole('button', { name: 'time-out', exact: true }).click();
    await page.waitForURL(/A\+1&failure_code=timeout$/);
    await page.getByRole('combobox', { name: 'Other failure' }).selectOption('TLS');
    await page.waitForURL(/A\+1&failure_code=tls$/);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.waitForURL('**/production/deliveries');
    await expect.poll(() => page.getByLabel('Order id').inputValue()).toBe('');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  });

  test.for([
    '/production/nowhere',
    '/production/Deliveries',
    '/production/deliveries/del_1/more',
    '/production/audit/more',
    '/elsewhere',
    '/elsewhere/deliveries',
  ])('%s shows the page for unknown addresses', async (address) => {
    const { page } = await open({ to: address });
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(address);
  });

  test('a trailing slash makes no difference', async () => {
    const { page } = await open({ to: '/production/partners/' });
    await page.getByRole('heading', { level: 1, name: 'Partners' }).waitFor();
  });

  test('a view of a list is saved under a name, opened again and shared by its link', async () => {
    await bellhop.support('POST', '/support/v1/production/partners', {
      name: 'Saved view',
      integration_started_on: '2025-11-01',
      is_new: false,
    });
    const { page, go } = await open({ to: '/production/partners' });
    await expect.poll(() => page.getByRole('group', { name: 'Views' }).count()).toBe(0);
    await page.getByLabel('Name').fill('saved');
    await page.waitForURL('**/partners?name=saved');
    const views = page.getByRole('group', { name: 'Views' });
    await views.getByRole('button', { name: 'Save this view…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('My partners');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });

    await go('/production/partners');
    await views.getByRole('button', { name: 'My partners' }).click();
    await page.waitForURL('**/partners?name=saved');
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('saved');
    // The link alone shows the same list to somebody who saved nothing.
    const other = await open();
    await other.go(new URL(page.url()).pathname + new URL(page.url()).search);
    await other.page.getByRole('link', { name: 'Saved view' }).waitFor();
    await expect
      .poll(() => other.page.getByRole('button', { name: 'My partners' }).count())
      .toBe(0);

    await views.getByRole('button', { name: 'Forget this view' }).click();
    await expect.poll(() => views.getByRole('button', { name: 'My partners' }).count()).toBe(0);
  });
});
