/** Lists of many records: filters in the address, totals, the other end, and the same in the CSV. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole, PHONE, settled } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const PRODUCTION = '/support/v1/production';
const MORE = 60;

describeConsole('lists', bellhop, (open) => {
  test('are narrowed by status, in the address and in the CSV, and read from their end', async () => {
    const agency = await newAgency(bellhop.support, 'http://127.0.0.1:9/', {
      partner: 'The first partner',
      midoffice: 'Shared midoffice',
    });
    for (let n = 0; n < MORE; n++) {
      await bellhop.support('POST', `${PRODUCTION}/partners`, {
        name: `Partner ${n}`,
        integration_started_on: '2025-11-01',
        is_new: false,
      });
    }
    await bellhop.support('PATCH', `${PRODUCTION}/midoffices/${agency.midofficeId}`, {
      paused: true,
    });
    const orders = await report(bellhop.support, agency, ['LI-1', 'LI-2']);
    expect(orders).toHaveLength(2);

    const { page, go } = await open({ to: '/production/partners' });
    await page.getByText('61 partners').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'The first partner' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Jump to the end: oldest first' }).click();
    const first = page.locator('tbody tr').first();
    await first.getByText('The first partner').waitFor();
    await first.getByRole('link', { name: '2 pending' }).waitFor();

    await page.getByLabel('Status').selectOption('without a midoffice');
    await page.getByText('60 partners').waitFor();
    expect(new URL(page.url()).search).toBe('?sort=created_at&only=without_midoffice');
    const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    expect(csv).toContain('only=without_midoffice');

    await go(`/production/midoffices/${agency.midofficeId}`);
    await page.getByRole('link', { name: '1 partner' }).click();
    await page.getByRole('row', { name: /The first partner/ }).waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);

    // One that this filter does not have counts as none.
    await go('/production/keys?only=expiring&sort=created_at');
    await page.getByText('No key matches these filters.').waitFor();

    await go('/production/midoffices?only=paused');
    await page
      .getByRole('row', { name: /Shared midoffice/ })
      .getByRole('link', { name: '2' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    await settled(page);
    await page.getByText('2 deliveries').waitFor();
    await page.setViewportSize(PHONE);
    const card = page.getByRole('row', { name: /LI-2/ });
    await card.getByText('The first partner').waitFor();
    await card.locator('time').waitFor();
  });
});
