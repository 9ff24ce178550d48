import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { issueCertificate } from '../../server/testing/certificates.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { hang, startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { type Agency, allAre, newAgency, report } from './agency.ts';
import { axeFindings } from './axe.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => ({
  BELLHOP_PRODUCTION_RECEIVER_ALLOW: '127.0.0.0/8',
  BELLHOP_PRODUCTION_RETRY_SCHEDULE: '12h,12h',
}));

describeConsole('what waits for a receiver', bellhop, (open) => {
  /** The receiver was down, and works again. */
  async function waitingAgency(orders: string[]) {
    const receiver = await startReceiver(status(503));
    const agency = await newAgency(bellhop.support, receiver.url, { midoffice: 'Back again' });
    const ids = await report(bellhop.support, agency, orders);
    await allWait(agency, orders.length);
    // Written a moment after the attempts are settled.
    const path = `/support/v1/production/midoffices/${agency.midofficeId}`;
    const failingSince = async () => (await bellhop.support('GET', path)).body.failing_since;
    await eventually(failingSince, (since) => since !== null);
    receiver.answer = status(200);
    receiver.received.length = 0;
    return { receiver, agency, ids };
  }

  async function allWait({ midofficeId }: Agency, count: number): Promise<void> {
    const path = `/support/v1/production/midoffices/${midofficeId}`;
    const read = async () => (await bellhop.support('GET', path)).body.waiting;
    await eventually(read, (waiting) => waiting === count);
  }

  const close = (dialog: Locator) =>
    dialog.locator('[data-form-buttons]').getByRole('button', { name: 'Close' }).click();
  const numbered = (prefix: string, length: number) =>
    Array.from({ length }, (_, n) => `${prefix}-${n}`);

  test('is sent with one click on the page of its midoffice', async () => {
    const { agency } = await waitingAgency(numbered('SP', 17));
    const { page } = await open({ to: `/production/midoffices/${agency.midofficeId}` });
    await page.getByRole('button', { name: 'Send all 17 pending now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('17 delivered, 0 failed.').waitFor();
    expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
    await close(dialog);
    await allAre(bellhop.support, 'delivered', agency);
    await page.getByText('Nothing is pending.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /pending now/ }).count()).toBe(0);
  });

  test('goes alone at first, and the others follow only if it is delivered or somebody insists', async () => {
    const { agency, receiver } = await waitingAgency(numbered('TF', 3));
    receiver.answer = status(401);
    const { page } = await open({ to: `/production/midoffices/${agency.midofficeId}` });
    await page.getByText('No attempt has succeeded since').waitFor();
    await page.getByRole('button', { name: 'Send all 3 pending now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The oldest one, order TF-0, was not delivered: 401.').waitFor();
    await dialog.getByText('The other 2 were not sent.').waitFor();
    await dialog.getByText(/The receiver answered 401: /).waitFor();
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['TF-0']);
    expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
    await dialog.getByRole('button', { name: 'Send the other 2 anyway' }).click();
    await dialog.getByText('0 delivered, 3 failed: 401.').waitFor();
    await dialog.getByText('The 3 that failed wait for their next attempts.').waitFor();
    await close(dialog);
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toBe('Send all 3 pending now');

    // Whoever stops while the first one is tried is told what was sent.
    receiver.answer = hang;
    await page.getByRole('button', { name: 'Send all 3 pending now' }).click();
    await dialog.getByText('Trying the oldest one first: order TF-0.').waitFor();
    await dialog.getByRole('button', { name: 'Stop here' }).click();
    await page.getByText('1 webhook was sent. The other 2 were not.').waitFor();
    receiver.answerAll(status(200));
    const first = `/support/v1/production/deliveries?partner_order_id=TF-0`;
    await eventually(
      () => bellhop.support('GET', first),
      ({ body }) => body.items[0].state === 'delivered',
    );
    await allWait(agency, 2);
    expect(receiver.received.map(({ orderId }) => orderId).slice(3)).toEqual(['TF-0']);
  });

  test('takes as long as the pace of its midoffice says; pace, headers and certificate are changed there', async () => {
    const { agency } = await waitingAgency(numbered('PA', 7));
    const { page, go, expectFailures } = await open();
    expectFailures(/\/midoffices\//);
    await go(`/production/midoffices/${agency.midofficeId}`);
    await page.getByText('7 pending', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Maximum attempts per second').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('At 2 per second, sending them takes at least 4 s.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Maximum attempts per second').fill('');
    await page.getByLabel('Additional headers').fill('X-Tenant: 17\nAuthorization: Bearer a:b');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('X-Tenant, Authorization').waitFor();
    await page.getByText('no limit').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const headers = page.getByLabel('Additional headers');
    await expect.poll(() => headers.inputValue()).toBe('X-Tenant: …\nAuthorization: …');
    await headers.fill('Authorization: …');
    await page.getByRole('button', { name: 'Save' }).click();
    await headers.waitFor({ state: 'hidden' });
    await page.getByText('Authorization', { exact: true }).waitFor();

    const { cert, key } = issueCertificate({ name: 'bellhop' });
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Client certificate').fill(cert);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must be a private key in PEM, unencrypted.').waitFor();
    await page.getByLabel('Private key of the certificate').fill(key);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^CN=bellhop, valid until \d+ \w+ 2/).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^CN=bellhop/).waitFor({ state: 'hidden' });
  });

  test('is offered when a test event is delivered', async () => {
    const { agency } = await waitingAgency(numbered('OF', 3));
    const { page } = await open({ to: `/production/midoffices/${agency.midofficeId}` });
    await page.getByRole('button', { name: 'Send test event' }).click();
    const offer = page.locator('[data-note]', { hasText: '3 webhooks still wait' });
    await offer.getByRole('button', { name: 'Send all 3 pending now' }).click();
    await allAre(bellhop.support, 'delivered', agency);
    await offer.waitFor({ state: 'hidden' });
  });

  test('is offered when a retry is delivered', async () => {
    const { agency, ids } = await waitingAgency(numbered('RT', 4));
    const { page } = await open({ to: `/production/deliveries/${ids[0]}` });
    await page.getByRole('button', { name: 'Send now' }).click();
    const offer = page.locator('[data-note]', { hasText: '3 webhooks still wait' });
    await offer.getByRole('button', { name: 'Send all 3 pending now' }).click();
    await allAre(bellhop.support, 'delivered', agency);
  });

  test('of which some are selected is retried, the rest is counted and cancelled', async () => {
    const { agency, receiver } = await waitingAgency(numbered('BU', 5));
    const { page, go, expectFailures } = await open({ to: '/production/deliveries' });
    await page.getByLabel('Order id').fill('BU-');
    await page.waitForURL(/partner_order_id_prefix=BU-$/);
    await page.getByRole('button', { name: '5xx' }).click();
    await page.waitForURL(/&status_class=5xx$/);
    await page.getByRole('checkbox', { name: 'Select BU-1' }).check();
    await page.getByRole('checkbox', { name: 'Select BU-3' }).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 deliveries will be attempted now.').waitFor();
    await dialog.getByText('Back again has accepted no webhook since').waitFor();
    await dialog.getByRole('button', { name: 'Send 2 deliveries again' }).click();
    await dialog.getByText('2 delivered, 0 failed.').waitFor();
    await close(dialog);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['BU-1', 'BU-3']);

    // What is delivered leaves the list, which is filtered by the last result.
    await page.getByRole('link', { name: 'BU-1' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Cancel all…' }).click();
    await dialog.getByText('3 deliveries will get no further attempt.').waitFor();
    // One is delivered while the dialog is open: the number is no longer right.
    const [one] = (
      await bellhop.support('GET', '/support/v1/production/deliveries?partner_order_id=BU-0')
    ).body.items;
    await bellhop.support('POST', `/support/v1/production/deliveries/${one.id}/retry`);
    await receiver.came(3);
    await allWait(agency, 2);
    expectFailures(/\/deliveries\/bulk$/);
    await dialog.getByRole('button', { name: 'Cancel 3 deliveries' }).click();
    await dialog.getByText(/The filter finds 2 deliveries now, not 3/).waitFor();
    await dialog.getByRole('button', { name: 'Count again' }).click();
    await dialog.getByRole('button', { name: 'Cancel 2 deliveries' }).click();
    await page.getByText('Cancelled 2 deliveries.').waitFor();
    const path = `/support/v1/production/deliveries/count?midoffice_id=${agency.midofficeId}`;
    expect((await bellhop.support('GET', path)).body.by_state).toMatchObject({
      delivered: 3,
      cancelled: 2,
    });
    await go('/production/audit?action=deliveries.cancel');
    await page.getByText(/^admin cancelled 2 deliveries/).waitFor();
  });
});
