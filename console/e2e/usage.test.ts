import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import type { TestKey } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { axeFindings } from './axe.ts';
import { describeInChromium } from './browser.ts';

const bellhop = sharedBellhop();
const OVERVIEW = 'api/b2b/v3/overview/';
/** The charts fetch their library, and the server writes the counts every 10 s. */
const SLOW_MS = 90_000;

describeInChromium(
  'usage',
  () => bellhop.addresses.backOffice,
  (open) => {
    let key: TestKey;
    beforeAll(async () => {
      key = await bellhop.newKey('production');
      const path = `/support/v1/production/keys/${key.keyId}`;
      await bellhop.support(
        'POST',
        `/support/v1/production/partners/${key.partnerId}/certification`,
        {
          reference: 'CERT-1',
        },
      );
      await bellhop.support('PUT', `${path}/endpoints`, { endpoint: OVERVIEW, requests_number: 4 });
      for (const called of [OVERVIEW, OVERVIEW, OVERVIEW, 'api/b2b/v3/hotel/info/']) {
        const url = `${bellhop.addresses.production}/${called}`;
        const reply = await fetch(url, { headers: { authorization: key.authorization } });
        await reply.arrayBuffer();
      }
      await eventually(
        () => bellhop.support('GET', `${path}/history?step=day`),
        ({ body }) => body.items.length === 2,
      );
    }, SLOW_MS);

    const paths: [string, () => string][] = [
      ['a key', () => `keys/${key.keyId}`],
      ['a partner', () => `partners/${key.partnerId}`],
    ];
    test.each(paths)('is charted on the page of %s, by hour and by day', async (_, path) => {
      const { page, go } = await open();
      await go(`/production/${path()}`);
      const usage = page.getByRole('region', { name: 'Usage' });
      await usage.getByRole('img', { name: 'Calls per hour' }).waitFor();
      await usage.getByText('3 answered, 1 failed, 0 refused').first().waitFor();
      await usage.getByText('at most 75 %').first().waitFor();
      await usage.getByLabel('Endpoint').selectOption('overview/');
      await usage.getByText('3 answered, 0 failed, 0 refused').first().waitFor();
      await usage.getByRole('button', { name: 'Days' }).click();
      await usage.getByRole('img', { name: 'Calls per day' }).waitFor();
      expect(await axeFindings(page, { within: '[aria-label=Usage]' })).toEqual([]);
    });

    test('can be saved as CSV', async () => {
      const { page, go } = await open();
      await go(`/production/keys/${key.keyId}`);
      await page.getByRole('button', { name: 'Days' }).click();
      const started = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV of the usage by day' }).click();
      const download = await started;
      expect(download.suggestedFilename()).toBe(`usage-${key.keyId}-by-day.csv`);
      const [head, ...lines] = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(head).toBe('at,endpoint,admitted,refused,failed,peak_share');
      expect(lines.some((line) => line.endsWith(`,${OVERVIEW},3,0,0,0.75`))).toBe(true);
    });

    test('says so if there was none', async () => {
      const unused = await bellhop.newKey('production');
      const { page, go } = await open();
      await go(`/production/keys/${unused.keyId}`);
      await page.getByText('No calls in the last 7 days.').waitFor();
      expect(await page.getByRole('button', { name: /^CSV/ }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Days' }).click();
      await page.getByText('No calls in the last 90 days.').waitFor();
    });

    test('is beside the number asked for when a limit is raised, and the sales volume is recorded', async () => {
      const { page, go } = await open();
      await go(`/production/keys/${key.keyId}`);
      await page.getByRole('button', { name: 'Edit limit of overview/' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('requests_number').fill('3');
      expect(await dialog.getByText('Peak of the last 30 days').count()).toBe(0);
      await dialog.getByLabel('requests_number').fill('40');
      await dialog.getByText('3 calls in one window (75 % of the limit at the time)').waitFor();
      await dialog.getByText('40 per day').waitFor();
      expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
      await dialog.getByLabel('Approval reference').fill('SALES-1');
      await dialog.getByLabel('Expected sales volume').fill('200 bookings a day');
      await dialog.getByRole('button', { name: 'Raise limit' }).click();
      await dialog.waitFor({ state: 'hidden' });
      const audit = await bellhop.support(
        'GET',
        `/support/v1/production/audit?subject=${key.keyId}&action=key.grant&limit=1`,
      );
      expect(audit.body.items[0].after).toMatchObject({
        requests_number: 40,
        approval_reference: 'SALES-1',
        expected_sales_volume: '200 bookings a day',
      });
    });
  },
);
