import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import type { TestKey } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { axeFindings } from './axe.ts';
import { describeConsole, PHONE } from './browser.ts';

/** Without the portal, so that the page of a partner says so. */
const bellhop = sharedBellhop(() => ({ BELLHOP_ROLES: 'partner-api,delivery,back-office' }));
const OVERVIEW = 'api/b2b/v3/overview/';
const HP = 'api/b2b/v3/search/hp/';
/** The charts fetch their library, and the server writes the counts every 10 s. */
const SLOW_MS = 90_000;

describeConsole('usage', bellhop, (open) => {
  let key: TestKey;
  /** Rotated, and then called with the earlier API key more often than its limit allows. */
  let rotated: TestKey;
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
    const call = async ({ authorization }: TestKey, endpoint: string) => {
      const url = `${bellhop.addresses.production}/${endpoint}`;
      await (await fetch(url, { headers: { authorization } })).arrayBuffer();
    };
    for (const called of [OVERVIEW, OVERVIEW, OVERVIEW, 'api/b2b/v3/hotel/info/']) {
      await call(key, called);
    }
    rotated = await bellhop.newKey('production');
    const rotatedPath = `/support/v1/production/keys/${rotated.keyId}`;
    await bellhop.support('PUT', `${rotatedPath}/endpoints`, {
      endpoint: HP,
      requests_number: 1,
    });
    await bellhop.support('POST', `${rotatedPath}/rotation`, {});
    await call(rotated, HP);
    await call(rotated, HP);
    await eventually(
      () => bellhop.support('GET', `${rotatedPath}/history`),
      ({ body }) => body.items.length === 1,
    );
    await eventually(
      () => bellhop.support('GET', `${path}/history?step=day`),
      ({ body }) => body.items.length === 2,
    );
  }, SLOW_MS);

  const paths: [string, () => string, isSeenBefore: boolean][] = [
    ['a key', () => `keys/${key.keyId}`, false],
    ['a partner', () => `partners/${key.partnerId}`, true],
  ];
  test.each(paths)('is charted on the page of %s, by hour and by day', async (_, path, once) => {
    const { page } = await open({ to: `/production/${path()}` });
    const usage = page.getByRole('region', { name: 'Usage' });
    await usage.getByRole('img', { name: 'Calls per hour' }).waitFor();
    await usage.getByText('3 answered, 1 failed, 0 refused').first().waitFor();
    await usage.getByText('at most 75 %').first().waitFor();
    await usage.getByLabel('Endpoint').selectOption('overview/');
    await usage.getByText('3 answered, 0 failed, 0 refused').first().waitFor();
    await usage.getByRole('button', { name: 'Days' }).click();
    await usage.getByRole('img', { name: 'Calls per day' }).waitFor();
    expect(await axeFindings(page, { within: '[aria-label=Usage]', once })).toEqual([]);
  });

  const callers: [string, () => [path: string, filter: string, id: string]][] = [
    ['a key', () => [`keys/${rotated.keyId}`, 'key_id', rotated.keyId]],
    ['a partner', () => [`partners/${rotated.partnerId}`, 'partner_id', rotated.partnerId]],
  ];
  test.each(callers)('a bar of %s opens the calls that were refused then', async (_, caller) => {
    const [path, filter, id] = caller();
    const { page } = await open({ to: `/production/${path}` });
    const chart = page.getByRole('img', { name: 'Calls per hour' });
    // The only bar, and its highest part. A step without such calls opens nothing.
    const refused = chart.locator('rect').last();
    await refused.waitFor();
    await chart.click();
    await refused.hover();
    await page.getByText('click to open the refused and failed calls').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/production/${path}`);
    await refused.click();
    await page.waitForURL(/\/calls\?/);
    const filters = new URL(page.url()).searchParams;
    expect(filters.get(filter)).toBe(id);
    const [since = 0, until = 0] = ['since', 'until'].map((end) =>
      Date.parse(filters.get(end) ?? ''),
    );
    expect(until - since).toBe(3_600_000);
    await page.getByText('429 over the limit').first().waitFor();
  });

  test('puts used endpoints first, with their refusals, and names the API key that is used', async () => {
    const { page } = await open({ to: `/production/keys/${rotated.keyId}` });
    const table = page.getByRole('table', { name: 'Endpoints and limits' });
    await table.getByText('Used in the last 7 days', { exact: true }).waitFor();
    const first = table.getByRole('row').nth(2);
    await first.getByRole('checkbox', { name: 'Select search/hp/' }).waitFor();
    await first.getByText('2 calls').waitFor();
    const refused = await first.getByRole('link', { name: '1 refused' }).getAttribute('href');
    expect(refused).toContain('code=endpoint_exceeded_limit');

    const apiKeys = page.getByRole('list', { name: 'API keys', exact: true });
    const [newest, earlier] = [0, 1].map((n) => apiKeys.getByRole('listitem').nth(n));
    await newest?.getByText('no call during the overlap').waitFor();
    await earlier?.getByText('used last').waitFor();
  });

  test('of a limit is not cut off on a phone, where unused endpoints are folded by area', async () => {
    const { page, go } = await open();
    await page.setViewportSize(PHONE);
    await go(`/production/keys/${key.keyId}`);
    const table = page.getByRole('table', { name: 'Endpoints and limits' });
    const meter = table.getByRole('meter', { name: 'overview/' });
    await meter.getByText('one back in').waitFor();
    const prebook = table.locator('code').getByText('hotel/prebook/');
    await expect.poll(() => prebook.isVisible()).toBe(false);
    await table.getByRole('button', { name: 'Prebook 2', expanded: false }).click();
    await prebook.waitFor();
    const cut = await meter.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(cut).toBe(0);
  });

  test('is shown to partners only where a portal is served, which the page of a partner says', async () => {
    const { page } = await open({ to: `/production/partners/${rotated.partnerId}?tab=portal` });
    await page.getByText('Partners cannot use the portal here').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'New link' }).count()).toBe(0);
  });

  test('can be saved as CSV', async () => {
    const { page } = await open({ to: `/production/keys/${key.keyId}` });
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
    const { page } = await open({ to: `/production/keys/${unused.keyId}` });
    await page.getByText('No calls in the last 7 days.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^CSV/ }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Days' }).click();
    await page.getByText('No calls in the last 90 days.').waitFor();
  });

  test('is beside the number asked for when a limit is raised, and the sales volume is recorded', async () => {
    const { page } = await open({ to: `/production/keys/${key.keyId}` });
    await page.getByRole('button', { name: 'Edit limit of overview/' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Calls').fill('3');
    await expect.poll(() => dialog.getByText('Peak of the last 30 days').count()).toBe(0);
    await dialog.getByLabel('Calls').fill('40');
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
});
