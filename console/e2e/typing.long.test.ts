/** People type faster than the server answers. What they choose must belong to what they typed. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { GIVES_UP_AT_ONCE, newAgency } from './agency.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const DEAD = 'http://127.0.0.1:9/';
/** Between two keys of a fast typist. */
const KEY_MS = 30;

/** Types and presses Enter before the server has answered, however busy the machine is. */
async function typeAndEnter(page: Page, text: string, asks: RegExp): Promise<void> {
  const held = Promise.withResolvers<void>();
  await page.route(asks, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.type(text, { delay: KEY_MS });
  await page.keyboard.press('Enter');
  held.resolve();
}

describeConsole('typing faster than the server answers', bellhop, (open) => {
  test('chooses the midoffice that was typed, and asks before production changes', async () => {
    await newAgency(bellhop.support, DEAD, { midoffice: 'Nordlys Rejser midoffice' });
    const agency = await newAgency(bellhop.support, DEAD, {
      partner: 'Blue Horizon',
      midoffice: 'Meridian Journeys midoffice',
    });
    const { page } = await open({ to: `/production/partners/${agency.partnerId}` });
    const picker = page.getByRole('combobox', { name: 'Send its webhooks to' });
    await picker.click();
    await page.getByRole('option', { name: /Meridian/ }).waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await typeAndEnter(page, 'nordlys', /midoffices\?name=/);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await expect.poll(() => picker.inputValue()).toBe('Nordlys Rejser midoffice');
    await save.click();

    const dialog = page.getByRole('dialog', { name: 'Send webhooks to another midoffice?' });
    for (const name of ['Blue Horizon', 'Meridian Journeys midoffice', 'Nordlys Rejser']) {
      await dialog.getByText(name).first().waitFor();
    }
    await dialog.getByRole('button', { name: 'Keep Meridian Journeys midoffice' }).click();
    const path = `/support/v1/production/partners/${agency.partnerId}`;
    expect((await bellhop.support('GET', path)).body.midoffice_id).toBe(agency.midofficeId);
    await save.click();
    await dialog.getByRole('button', { name: 'Send to Nordlys Rejser midoffice' }).click();
    await page.getByText('Webhooks go to Nordlys Rejser midoffice.').waitFor();
  });

  test('chooses nothing when the text fits several names, or none', async () => {
    for (const name of ['Fjord Nord', 'Fjord Syd']) {
      await newAgency(bellhop.support, DEAD, { partner: name });
    }
    const { page } = await open({ to: '/production/keys' });
    const picker = page.getByRole('combobox', { name: 'Partner' });
    await picker.click();
    await page.getByRole('option').first().waitFor();
    await typeAndEnter(page, 'fjord', /partners\?name=/);
    await page.getByRole('option', { name: /Fjord Syd/ }).waitFor();
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
    expect(new URL(page.url()).search).toBe('');
    await typeAndEnter(page, 'xyz', /partners\?name=/);
    await page.getByText('No name contains this.').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('searches for the whole text: Enter waits for its results', async () => {
    await newAgency(bellhop.support, DEAD, { partner: 'Sol' });
    await newAgency(bellhop.support, DEAD, { partner: 'Solstice Tours' });
    const { page } = await open({ to: '/production' });
    await page.keyboard.press('Control+k');
    await typeAndEnter(page, 'solstice', /search\?q=/);
    await page.getByRole('heading', { level: 1, name: 'Solstice Tours' }).waitFor();
  });

  test('leaves a list alone until it shows what the filter says', async () => {
    await newAgency(bellhop.support, DEAD, { partner: 'Wrong partner' });
    await newAgency(bellhop.support, DEAD, { partner: 'Aurora' });
    const { page } = await open({ to: '/production/partners' });
    const wrong = page.getByRole('link', { name: 'Wrong partner' });
    await wrong.waitFor();
    // Read in the page after each key: a test that asks from outside may come too late.
    await page.evaluate(`(() => {
        const list = document.querySelector('[data-list]');
        window.inert = [list.inert];
        addEventListener('input', () => setTimeout(() => window.inert.push(list.inert)));
      })()`);
    await page.getByLabel('Name').focus();
    await page.keyboard.type('auro', { delay: KEY_MS });
    expect(await page.evaluate('window.inert')).toEqual([false, true, true, true, true]);
    await page.getByRole('link', { name: 'Aurora' }).click();
    await page.getByRole('heading', { level: 1, name: 'Aurora' }).waitFor();
  });
});
