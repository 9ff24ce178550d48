import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { describeInChromium } from './browser.ts';

const bellhop = sharedBellhop();

async function overviewStatus(keyId: string, apiKey: string): Promise<number> {
  const reply = await fetch(`${bellhop.addresses.production}/api/b2b/v3/overview/`, {
    headers: { authorization: basic(keyId, apiKey), ...bellhop.fromNewAddress() },
  });
  await reply.arrayBuffer();
  return reply.status;
}

describeInChromium(
  'keys',
  () => bellhop.addresses.backOffice,
  (open) => {
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
      const { page, go } = await open();
      await go(`/production/keys/${keyId}`);
      const next = await rotate(page, '1 day');
      await page.getByText('Rotation under way').waitFor();
      await page.locator('[data-page-title]').getByText('rotating').waitFor();
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
      const { page, go } = await open();
      await go(`/production/keys/${keyId}`);
      const ends = () => page.getByRole('list', { name: 'Earlier API keys' }).locator('time');
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
      expect(await shownEnds()).toEqual(body.overlap_ends);

      const dialog = await openRotation(page, '1 day');
      await dialog.getByText('2 earlier API keys still work. They keep working:').waitFor();
      const toggle = dialog.getByRole('switch', { name: 'End the earlier API keys now' });
      expect(await toggle.isChecked()).toBe(false);
      await toggle.click();
      await dialog.getByText('They stop at once').waitFor();
      const fourth = await finishRotation(page);
      await page.getByText('An earlier API key still works.').waitFor();
      for (const apiKey of [third, fourth]) expect(await overviewStatus(keyId, apiKey)).toBe(200);
      for (const apiKey of [first, second]) expect(await overviewStatus(keyId, apiKey)).toBe(401);
    });

    test('a rotation without overlap can leave the earlier API keys alone', async () => {
      const { keyId, apiKey: first } = await bellhop.newKey('production');
      const { page, go } = await open();
      await go(`/production/keys/${keyId}`);
      const second = await rotate(page, '1 day');
      const dialog = await openRotation(page, 'None');
      const toggle = dialog.getByRole('switch', { name: 'End the earlier API key now' });
      expect(await toggle.isChecked()).toBe(true);
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
      const { page, go } = await open();
      await go(`/production/keys/${keyId}`);
      await page.locator('[data-page-title]').getByText('active').waitFor();
      expect(await page.getByText('Rotation under way').count()).toBe(0);
    });

    test('raising a limit needs certification and an approval, and a refusal keeps what was typed', async () => {
      const { keyId, partnerId } = await bellhop.newKey('production');
      const grantsPath = `/support/v1/production/keys/${keyId}/endpoints`;
      const { page, go, expectFailures } = await open();
      await go(`/production/keys/${keyId}`);
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Edit limit of search/hp/' }).click();
      await dialog.getByLabel('requests_number').fill('400');
      await dialog.getByText(/raised only after certification is completed/).waitFor();
      const raise = dialog.getByRole('button', { name: 'Raise limit' });
      expect(await raise.isDisabled()).toBe(true);
      expect(await dialog.getByLabel('requests_number').inputValue()).toBe('400');

      // Someone certifies the partner meanwhile.
      await bellhop.support('POST', `/support/v1/production/partners/${partnerId}/certification`, {
        reference: 'CERT-9',
      });
      await go(`/production/keys/${keyId}`);
      await page.getByRole('button', { name: 'Edit limit of search/hp/' }).click();
      await dialog.getByLabel('requests_number').fill('400');
      expect(await raise.isDisabled()).toBe(true);
      await dialog.getByLabel('Approval reference').fill('SALES-77');
      await raise.click();
      await dialog.waitFor({ state: 'hidden' });
      await page
        .getByRole('row', { name: /search\/hp\// })
        .getByText('400 per minute')
        .waitFor();
      const { body } = await bellhop.support(
        'GET',
        `/support/v1/production/audit?subject=${keyId}`,
      );
      expect(body.items[0]).toMatchObject({
        action: 'key.grant',
        after: { requests_number: 400, approval_reference: 'SALES-77' },
      });

      // The server refuses what the page allowed: the page shows why and keeps the numbers.
      expectFailures(/\/endpoints$/);
      await page.getByRole('button', { name: 'Edit limit of search/hp/' }).click();
      await bellhop.support('PUT', grantsPath, {
        endpoint: 'api/b2b/v3/search/hp/',
        requests_number: 5,
      });
      await dialog.getByLabel('requests_number').fill('399');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('alert').waitFor();
      expect(await dialog.getByLabel('requests_number').inputValue()).toBe('399');
      await dialog.getByLabel('Approval reference').waitFor();
    });
  },
);
