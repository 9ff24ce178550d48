/** Earlier webhooks are sent to a new receiver before it takes over. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { axeFindings } from './axe.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeConsole('a rehearsal', bellhop, (open) => {
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();

  const focused = (page: Page) => page.locator(':focus').innerText();

  test('shows in two clicks what the receiver answered, with times, and can be of one order', async () => {
    const receiver = await startReceiver(status(200));
    const agency = await newAgency(bellhop.support, receiver.url);
    await report(bellhop.support, agency, ['BK-1', 'BK-2', 'BK-2']);
    await allAre(bellhop.support, 'delivered', agency);
    const { page } = await open({ to: `/production/midoffices/${agency.midofficeId}` });
    await press(page, 'Rehearse…');
    const dialog = page.getByRole('dialog', { name: 'Rehearsal' });
    expect(await axeFindings(page, { within: '[role="dialog"]' })).toEqual([]);
    await press(page, 'Rehearse');
    await dialog.getByText('Passed: all 3 webhooks were accepted.').waitFor();
    await dialog.getByText(/^Time to answer: fastest .* median .* slowest /).waitFor();
    await expect.poll(() => dialog.getByRole('listitem').count()).toBe(3);
    expect(await dialog.getByText('Refuses what is not').count()).toBe(0);
    await receiver.came(6);

    receiver.answer = status(503);
    await press(page, 'Rehearse again');
    await dialog.getByLabel('Those of an order').check();
    await dialog.getByLabel('Order id').fill('BK-2');
    await page.keyboard.press('Enter');
    await dialog
      .getByText('Not passed: of 2 webhooks, 2 failed, 0 were skipped, 0 were accepted.')
      .waitFor();
    await dialog.getByText('How to fix it').first().waitFor();
    expect(await axeFindings(page, { within: '[role="dialog"]' })).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Rehearse…');
  });

  test('is offered before a new URL is saved, and saves nothing', async () => {
    const [old, next] = [await startReceiver(status(200)), await startReceiver(status(200))];
    const agency = await newAgency(bellhop.support, old.url);
    await report(bellhop.support, agency, ['BK-1']);
    await allAre(bellhop.support, 'delivered', agency);
    const path = `/production/midoffices/${agency.midofficeId}`;
    const { page } = await open({ to: path });
    await press(page, 'Edit');
    const offer = page.getByRole('button', { name: 'Rehearse with this URL…' });
    expect(await offer.count()).toBe(0);
    await page.getByLabel('Receiver URL').fill(next.url);
    await offer.click();
    const dialog = page.getByRole('dialog', { name: 'Rehearsal' });
    await press(page, 'Rehearse');
    await dialog.getByText('Passed: the webhook was accepted.').waitFor();
    expect(next.received[0]?.headers['x-bellhop-rehearsal']).toBe('1');
    // Only this one is closed, and the fields below are as they were typed.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Receiver URL').inputValue()).toBe(next.url);
    await expect.poll(() => focused(page)).toBe('Rehearse with this URL…');
    expect((await bellhop.support('GET', `/support/v1${path}`)).body.url).toBe(old.url);
  });
});
