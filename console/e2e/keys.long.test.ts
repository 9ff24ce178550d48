import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop();

async function overviewStatus(keyId: string, apiKey: string): Promise<number> {
  const reply = await fetch(`${bellhop.addresses.production}/api/b2b/v3/overview/`, {
    headers: { authorization: basic(keyId, apiKey), ...bellhop.fromNewAddress() },
  });
  await reply.arrayBuffer();
  return reply.status;
}

describeConsole('keys', bellhop, (open) => {
  /** Rotates through the dialog; resolves to the new API key. */
  async function rotate(page: Page, overlap: string): Promise<string> {
    await openRotation(page, overlap);
    return finishRotation(page);
  }

  async function openRotation(page: Page, overlap: string): Promise<Locator> {
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await dialog.getByLabel(overlap, { exact: true }).check();
    return dialog;
  }

  async function finishRotation(page: Page): Promise<string> {
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    await dialog.getByText('The API key is shown only once.').waitFor();
    const apiKey = (await dialog.locator('code').allTextContents()).at(-1) ?? '';
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    return apiKey;
  }

  test('all API keys work while rotations overlap; one without overlap ends them', async () => {
    const { keyId, apiKey: old } = await bellhop.newKey('production');
    const { page } = await open({ to: `/production/keys/${keyId}` });
    const next = await rotate(page, '1 day');
    await page.getByText('Rotation under way').waitFor();
    await page.locator('[data-page-title]').getByText('rotating').waitFor();
    await page.getByRole('heading', { level: 1, name: `Test partner · Key ${keyId}` }).waitFor();
    expect(await overviewStatus(keyId, old)).toBe(200);
    expect(await overviewStatus(keyId, next)).toBe(200);
    const third = await rotate(page, '1 hour');
    for (const apiKey of [old, next, third]) {
      expect(await overviewStatus(keyId, apiKey)).toBe(200);
    }

    const last = await rotate(page, 'None');
    await page.getByText('Rotation under way').waitFor({ state: 'hidden' });
    expect(await overviewStatus(keyId, last)).toBe(200);
    for (const apiKey of [old, next, third]) {
      expect(await overviewStatus(keyId, apiKey)).toBe(401);
    }
  });

  test('the page lists every earlier API key that works, and rotating can end them', async () => {
    const { keyId, apiKey: first } = await bellhop.newKey('production');
    const { page } = await open({ to: `/production/keys/${keyId}` });
    const ends = () => page.getByRole('list', { name: 'API keys', exact: true }).locator('time');
    const shownEnds = async () => {
      const times = await ends().evaluateAll((all) => all.map((one) => one.dateTime));
      return [...new Set(times)];
    };
    const second = await rotate(page, '7 days');
    await page.getByText('An earlier API key still works.').waitFor();
    const third = await rotate(page, '1 hour');
    await page.getByText('2 earlier API keys still work.').waitFor();
    const { body } = await bellhop.support('GET', `/support/v1/production/keys/${keyId}`);
    expect(body.overlap_ends).toHaveLength(2);
    await expect.poll(() => shownEnds()).toEqual(body.overlap_ends);

    const dialog = await openRotation(page, '1 day');
    await dialog.getByText('2 earlier API keys still work. They keep working:').waitFor();
    const toggle = dialog.getByRole('switch', { name: 'End the earlier API keys now' });
    await expect.poll(() => toggle.isChecked()).toBe(false);
    await toggle.click();
    await dialog.getByText('They stop at once').waitFor();
    const fourth = await finishRotation(page);
    await page.getByText('An earlier API key still works.').waitFor();
    for (const apiKey of [third, fourth]) expect(await overviewStatus(keyId, apiKey)).toBe(200);
    for (const apiKey of [first, second]) expect(await overviewStatus(keyId, apiKey)).toBe(401);
  });

  test('a rotation without overlap can leave the earlier API keys alone', async () => {
    const { keyId, apiKey: first } = await bellhop.newKey('production');
    const { page } = await open({ to: `/production/keys/${keyId}` });
    const second = await rotate(page, '1 day');
    const dialog = await openRotation(page, 'None');
    const toggle = dialog.getByRole('switch', { name: 'End the earlier API key now' });
    await expect.poll(() => toggle.isChecked()).toBe(true);
    await toggle.click();
    const third = await finishRotation(page);
    for (const apiKey of [first, third]) expect(await overviewStatus(keyId, apiKey)).toBe(200);
    expect(await overviewStatus(keyId, second)).toBe(401);
  });

  test('one overlap too many is refused with what to do, and ending the others helps', async () => {
    const { keyId } = await bellhop.newKey('production');
    const path = `/support/v1/production/keys/${keyId}/rotation`;
    for (let rotation = 0; rotation < 4; rotation++) await bellhop.support('POST', path, {});
    const { page, go, expectFailures } = await open();
    expectFailures(/\/rotation$/);
    await go(`/production/keys/${keyId}`);
    const dialog = await openRotation(page, '1 hour');
    await dialog.getByRole('button', { name: 'Rotate key' }).click();
    await dialog.getByText('No more API keys can overlap.').waitFor();
    await dialog.getByRole('switch', { name: 'End the earlier API keys now' }).click();
    await finishRotation(page);
    await page.getByText('An earlier API key still works.').waitFor();
  });

  test('the old API key stops when the overlap ends, and the page shows it', async () => {
    const { keyId, apiKey: old } = await bellhop.newKey('production');
    const path = `/support/v1/production/keys/${keyId}/rotation`;
    const { body } = await bellhop.support('POST', path, { overlap_seconds: 1 });
    await eventually(
      () => overviewStatus(keyId, old),
      (status) => status === 401,
    );
    expect(await overviewStatus(keyId, body.api_key)).toBe(200);
    const { page } = await open({ to: `/production/keys/${keyId}` });
    await page.locator('[data-page-title]').getByText('active').waitFor();
    await expect.poll(() => page.getByText('Rotation under way').count()).toBe(0);
  });

  test('raising a limit needs certification and an approval, and a refusal keeps what was typed', async () => {
    const { keyId, partnerId } = await bellhop.newKey('production');
    const grantsPath = `/support/v1/production/keys/${keyId}/endpoints`;
    const { page, go, expectFailures } = await open({ to: `/production/keys/${keyId}` });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Edit limit of search/hp/' }).click();
    await dialog.getByText(/^search\/hp\/ for .+, key \d+$/).waitFor();
    await dialog.getByLabel('Calls').fill('400');
    await dialog.getByText(/raised only after certification is completed/).waitFor();
    const raise = dialog.getByRole('button', { name: 'Raise limit' });
    await expect.poll(() => raise.isDisabled()).toBe(true);
    await expect.poll(() => dialog.getByLabel('Calls').inputValue()).toBe('400');

    // Someone certifies the partner meanwhile.
    await bellhop.support('POST', `/support/v1/production/partners/${partnerId}/certification`, {
      reference: 'CERT-9',
    });
    await go(`/production/keys/${keyId}`);
    await page.getByRole('button', { name: 'Edit limit of search/hp/' }).click();
    await dialog.getByLabel('Calls').fill('400');
    await expect.poll(() => raise.isDisabled()).toBe(true);
    await dialog.getByLabel('Approval reference').fill('SALES-77');
    await raise.click();
    await dialog.waitFor({ state: 'hidden' });
    await page
      .getByRole('row', { name: /search\/hp\// })
      .getByText('400 per minute')
      .waitFor();
    const { body } = await bellhop.support('GET', `/support/v1/production/audit?subject=${keyId}`);
    expect(body.items[0]).toMatchObject({
      action: 'key.grant',
      after: { requests_number: 400, approval_reference: 'SALES-77' },
    });

    // The server refuses what the page allowed: the page shows why and keeps the numbers.
    expectFailures(/\/endpoints(\?dry_run=true)?$/);
    await page.getByRole('button', { name: 'Edit limit of search/hp/' }).click();
    await bellhop.support('PUT', grantsPath, {
      endpoint: 'api/b2b/v3/search/hp/',
      requests_number: 5,
    });
    await dialog.getByLabel('Calls').fill('399');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await expect.poll(() => dialog.getByLabel('Calls').inputValue()).toBe('399');
    await dialog.getByLabel('Approval reference').waitFor();
  });

  test('several limits are changed at once with one approval, marked, and put back', async () => {
    const { keyId, partnerId } = await bellhop.newKey('production');
    const keyPath = `/support/v1/production/keys/${keyId}`;
    const paths = ['search/serp/hotels/', 'search/serp/region/', 'search/serp/geo/'];
    await bellhop.support('POST', `/support/v1/production/partners/${partnerId}/certification`, {
      reference: 'CERT-10',
    });
    const limits = async () => {
      const { body } = await bellhop.support('GET', `${keyPath}/endpoints`);
      return body.items
        .filter(({ endpoint }: { endpoint: string }) => endpoint.includes('/search/serp/'))
        .map((grant: { requests_number: number }) => grant.requests_number);
    };
    const { page, go, expectFailures } = await open();
    const dialog = page.getByRole('dialog');
    const table = page.getByRole('table', { name: 'Endpoints and limits' });
    await go(`/production/keys/${keyId}`);
    await page.getByLabel('Find an endpoint').fill('SEARCH/serp');
    await page.getByLabel('Select all shown').check();
    await page.getByText('3 endpoints selected').waitFor();
    await page.getByRole('button', { name: 'Change limits…' }).click();
    await dialog.getByText(`, key ${keyId}`).waitFor();
    await dialog.getByLabel('Calls').fill('300');
    await dialog.getByLabel('Window').selectOption('1 minute');
    await dialog.getByText('150 per minute → 300 per minute').waitFor();
    await dialog.getByLabel('Approval reference').fill('SALES-78');
    await dialog.getByRole('button', { name: 'Change 3 endpoints' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await limits()).toEqual([300, 300, 300]);
    const { body } = await bellhop.support(
      'GET',
      `/support/v1/production/audit?subject=${keyId}&action=key.grant`,
    );
    expect(body.items).toHaveLength(3);
    for (const { after } of body.items) {
      expect(after).toMatchObject({ requests_number: 300, approval_reference: 'SALES-78' });
    }
    await expect.poll(() => table.getByText('changed').count()).toBe(3);
    await table.getByText('default 150 per minute').waitFor();

    // What one endpoint is refused does not hold up the others, and the page says which it was.
    expectFailures(/\/endpoints(\?dry_run=true)?$/);
    await page.getByRole('button', { name: 'Changed from default (3)' }).click();
    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Change limits…' }).click();
    await dialog.getByLabel('Calls').fill('200');
    const lowered = { endpoint: `api/b2b/v3/${paths[1]}`, requests_number: 5 };
    await bellhop.support('PUT', `${keyPath}/endpoints`, lowered);
    await dialog.getByRole('button', { name: 'Change 3 endpoints' }).click();
    const notSaved = dialog.getByRole('alert').filter({ hasText: '2 of 3 endpoints saved' });
    await notSaved.getByText(paths[1] ?? '').waitFor();
    expect(await limits()).toEqual([200, 5, 200]);
    await dialog.getByLabel('Approval reference').fill('SALES-79');
    await dialog.getByRole('button', { name: 'Change 1 endpoint' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await limits()).toEqual([200, 200, 200]);

    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Back to default…' }).click();
    await dialog.getByRole('button', { name: 'Change 3 endpoints' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await limits()).toEqual([150, 10, 10]);
    await page.getByText('No endpoint matches the filter.').waitFor();
  });
});
