/** Changes of many deliveries, and what was given up: it stays a task until somebody has dealt with it. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const PRODUCTION = '/support/v1/production';
const numbered = (prefix: string, length: number) =>
  Array.from({ length }, (_, n) => `${prefix}-${n}`);

describeConsole('what is left to do', bellhop, (open) => {
  test('is changed only with a filter, and what is delivered is left alone', async () => {
    const receiver = await startReceiver();
    const agency = await newAgency(bellhop.support, receiver.url, { partner: 'Bulk' });
    await report(bellhop.support, agency, numbered('OK', 3));
    await allAre(bellhop.support, 'delivered', agency);
    receiver.answer = status(500);
    await report(bellhop.support, agency, numbered('NO', 2));
    await receiver.came(3 + 2 * 2);
    receiver.answer = status(200);
    const { page, go } = await open({ to: '/production/deliveries' });
    await page.getByText('Select some, or filter the list').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: /all again|Cancel all/ }).count())
      .toBe(0);

    await go(`/production/deliveries?midoffice_id=${agency.midofficeId}`);
    await page.getByRole('button', { name: 'Cancel all…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Keep them' }).click();
    await page.getByRole('button', { name: 'Send all again…' }).click();
    await dialog.getByText('2 deliveries will be attempted now.').waitFor();
    await dialog.getByRole('switch', { name: /that were delivered/ }).click();
    await dialog.getByText('3 of them are already delivered and will be sent again.').waitFor();
    await dialog.getByRole('switch', { name: /that were delivered/ }).click();
    await dialog.getByRole('button', { name: 'Send 2 deliveries again' }).click();
    await dialog.getByText('2 delivered, 0 failed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'hidden' });
    await allAre(bellhop.support, 'delivered', agency);
    expect(receiver.received).toHaveLength(3 + 2 * 2 + 2);
  });

  test('of more than a thousand needs their number typed', async () => {
    const agency = await newAgency(bellhop.support, 'http://127.0.0.1:9/');
    const path = `${PRODUCTION}/midoffices/${agency.midofficeId}`;
    await bellhop.support('PATCH', path, { paused: true });
    for (const part of ['a', 'b']) await report(bellhop.support, agency, numbered(part, 501));
    const { page } = await open({
      to: `/production/deliveries?midoffice_id=${agency.midofficeId}&state=pending`,
    });
    await page.getByRole('button', { name: 'Cancel all…' }).click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Cancel 1,002 deliveries' });
    await submit.waitFor();
    await expect.poll(() => submit.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type/).fill('1002');
    await submit.click();
    await page.getByText('Cancelled 1,002 deliveries.').waitFor();
  });

  test('shows what was given up until it is sent again or acknowledged', async () => {
    const receiver = await startReceiver(status(500));
    const agency = await newAgency(bellhop.support, receiver.url, { midoffice: 'Given up' });
    const [id = ''] = await report(bellhop.support, agency, numbered('GU', 4));
    await allAre(bellhop.support, 'exhausted', agency);
    // A later webhook arrives: the receiver is well, and what was given up is still not.
    receiver.answer = status(200);
    await bellhop.support('POST', `${PRODUCTION}/midoffices/${agency.midofficeId}/test-event`);
    const { page, go } = await open({ to: '/production' });
    const tile = page.getByRole('link', { name: /^Exhausted/ });
    await tile.getByText('4', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Verdict' }).getByText('Given up').first().waitFor();

    await go(`/production/deliveries/${id}`);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Told by phone');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('exhausted, acknowledged').waitFor();
    const { body } = await bellhop.support('GET', `${PRODUCTION}/audit?subject=${id}`);
    expect(body.items[0]).toMatchObject({
      action: 'delivery.acknowledge',
      after: { reason: 'Told by phone' },
    });

    await go('/production/midoffices');
    await page.getByLabel('Status').selectOption('with exhausted deliveries');
    await page.waitForURL(/only=with_exhausted/);
    await page.getByText('1 midoffice', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Given up' }).click();
    await page.locator('[data-page-title]').getByText('3 exhausted').waitFor();
    await expect.poll(() => page.locator('[data-page-title]').getByText('healthy').count()).toBe(0);
    await page.getByRole('button', { name: 'Acknowledge…' }).click();
    await dialog.getByRole('button', { name: 'Acknowledge 3 deliveries' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('given up and nobody has dealt').waitFor({ state: 'hidden' });
    await go('/production');
    await tile.getByText('0', { exact: true }).waitFor();
  });
});
