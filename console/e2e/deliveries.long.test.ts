import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { ADMIN_TOKEN } from '../../server/testing/bellhop.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole } from './browser.ts';

const MANY = 500;

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeConsole('deliveries', bellhop, (open) => {
  test('finds why an order failed, fixes it and sends it again without reloading the page', async () => {
    const wrong = await startReceiver(status(404, 'no such page'));
    const right = await startReceiver();
    const agency = await newAgency(bellhop.support, wrong.url, { midoffice: 'Lost & Found' });
    await report(bellhop.support, agency, ['LF-7', 'LF-8']);
    await allAre(bellhop.support, 'exhausted', agency);
    const { page } = await open({ to: '/production' });
    await page.evaluate('window.notReloaded = true');

    const box = page.getByRole('combobox', { name: 'Search production' });
    await box.fill('LF-7');
    await page.getByRole('option', { name: /LF-7/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Order LF-7' }).waitFor();
    await page.getByText('Why did this fail?').waitFor();
    await page.getByText(/The receiver answered 404: .*letter by letter/).waitFor();
    await expect.poll(() => page.getByText('retried automatically').count()).toBe(0);
    await page.getByLabel('Reply').first().getByText('no such page').waitFor();

    await page.getByRole('link', { name: 'Open Lost & Found' }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Receiver URL').fill(right.url);
    await dialog.getByText('Webhooks can be sent there.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.goBack();
    await page.getByRole('button', { name: 'Send again' }).click();
    const title = page.locator('[data-page-title]');
    await title.getByText('delivered', { exact: true }).waitFor();
    await page.getByText('Why did this fail?').waitFor({ state: 'hidden' });
    expect(right.received.map(({ orderId }) => orderId)).toEqual(['LF-7']);
    expect(await page.evaluate('window.notReloaded')).toBe(true);
  });

  test(`${MANY} exhausted deliveries are counted, then sent again with a progress bar`, async () => {
    const receiver = await startReceiver(status(500));
    const agency = await newAgency(bellhop.support, receiver.url, {
      midoffice: 'Down all night',
    });
    const orders = Array.from({ length: MANY }, (_, n) => `DN-${n}`);
    await report(bellhop.support, agency, orders);
    await allAre(bellhop.support, 'exhausted', agency);
    receiver.received.length = 0;
    receiver.answer = status(200);

    const { page } = await open({ to: `/production/midoffices/${agency.midofficeId}` });
    await page.getByRole('button', { name: 'Send again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${MANY} deliveries will be sent again.`).waitFor();
    expect(receiver.received).toEqual([]);

    const progress = dialog.getByRole('progressbar', { name: 'Attempted' });
    // Each step is a request; one is held back so that the progress can be read.
    const held = Promise.withResolvers<void>();
    let steps = 0;
    await page.route(/\/recovery$/, async (route) => {
      steps += 1;
      if (steps === 4) await held.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: `Send ${MANY} deliveries again` }).click();
    // The oldest alone, and two steps.
    await dialog.getByText(`51 of ${MANY} sent.`).waitFor();
    await expect.poll(() => progress.getAttribute('aria-valuenow')).toBe('51');
    held.resolve();
    await dialog.getByText(`${MANY} delivered, 0 failed.`).waitFor();
    expect(steps).toBe(21);
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await receiver.came(MANY);
    await allAre(bellhop.support, 'delivered', agency);
    expect(new Set(receiver.received.map(({ orderId }) => orderId))).toEqual(new Set(orders));
    await page.getByText('Nothing is pending.').waitFor();
  });

  test('a delivery to a paused midoffice says so, and is sent once the midoffice is resumed', async () => {
    const receiver = await startReceiver();
    const agency = await newAgency(bellhop.support, receiver.url);
    const path = `/support/v1/production/midoffices/${agency.midofficeId}`;
    await bellhop.support('PATCH', path, { paused: true });
    const [id] = await report(bellhop.support, agency, ['PA-1']);
    const { page } = await open({ to: `/production/deliveries/${id}` });
    await page.getByText('Attempt 1 waits: paused').waitFor();
    await page.getByRole('link', { name: 'it is resumed' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('row', { name: /PA-1/ }).getByText('delivered', { exact: true }).waitFor();
  });

  test('the keyboard alone is enough to sign in, search, open a delivery and send it again', async () => {
    const receiver = await startReceiver(status(503));
    const agency = await newAgency(bellhop.support, receiver.url);
    await report(bellhop.support, agency, ['KB-1']);
    await allAre(bellhop.support, 'exhausted', agency);
    receiver.answer = status(200);
    const { page, go } = await open({ token: null });
    const { keyboard } = page;
    await go('/');

    await keyboard.type(ADMIN_TOKEN);
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    // The focus starts on the page's title.
    await expect.poll(() => focused()).toBe('H1: Overview');

    await keyboard.press('/');
    await keyboard.type('KB-1');
    await page.getByRole('option', { name: /KB-1/ }).waitFor();
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Order KB-1' }).waitFor();
    await page.getByRole('button', { name: 'Send again' }).waitFor();
    for (let stops = 0; (await focused()) !== 'BUTTON: Send again'; stops++) {
      if (stops > 20) throw new Error('Tab does not lead to the button.');
      await keyboard.press('Tab');
    }
    await expect.poll(() => outlined()).toBe(true);
    await keyboard.press('Enter');
    await page.locator('[data-page-title]').getByText('delivered', { exact: true }).waitFor();
    await receiver.came(3);

    function focused(): Promise<string> {
      return page.evaluate(
        "document.activeElement.tagName + ': ' + document.activeElement.textContent",
      );
    }
    function outlined(): Promise<boolean> {
      return page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none'");
    }
  });
});
