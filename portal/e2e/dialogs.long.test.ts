/** What people change in the portal: each dialog says what it will do, does exactly that, and the page shows it. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Agency, allAre, newAgency, report } from '../../console/e2e/agency.ts';
import { axeFindings } from '../../console/e2e/axe.ts';
import { describePortal } from '../../console/e2e/browser.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import {
  startReceiver,
  status,
  type WebhookReceiver,
} from '../../server/testing/webhook-receiver.ts';
import { listening } from '../../test/support.ts';
import { PORTAL_SETTINGS, withKey } from './partner.ts';

/** What has failed once waits for as long as the tests take. */
const WAITS = { ...PORTAL_SETTINGS, BELLHOP_PRODUCTION_RETRY_SCHEDULE: '12h' };
const PRODUCTION = '/support/v1/production';
const bellhop = sharedBellhop(() => WAITS);

describePortal('in the portal,', bellhop, (open) => {
  let receiver: WebhookReceiver;
  let partner: Agency;
  beforeAll(async () => {
    receiver = await startReceiver(status(503), { atEnd: () => {} });
    partner = await newAgency(bellhop.support, receiver.url);
  });
  afterAll(() => receiver?.close());

  const key = async () =>
    (await bellhop.support('GET', `${PRODUCTION}/keys/${partner.keyId}`)).body;
  const dialog = (page: Page) => page.getByRole('dialog');
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  async function statusWith(apiKey: string): Promise<number> {
    const credentials = Buffer.from(`${partner.keyId}:${apiKey}`).toString('base64');
    const reply = await fetch(`${bellhop.addresses.production}/api/b2b/v3/overview/`, {
      headers: { authorization: `Basic ${credentials}` },
    });
    await reply.text();
    return reply.status;
  }

  test('a key is named, and rotated so that the old API key works for an hour', async () => {
    const { page } = await open({
      to: `/production/keys/${partner.keyId}`,
      signIn: withKey(partner),
    });
    await press(page, 'Change the label');
    await dialog(page).getByLabel('Label').fill('Web shop');
    await press(page, 'Save');
    await page.getByRole('heading', { level: 1, name: 'Web shop' }).waitFor();

    await press(page, 'Rotate');
    await dialog(page).getByLabel('1 hour').check();
    await press(page, 'Rotate key');
    await dialog(page).getByText('The API key is shown only once.').waitFor();
    const shown = await dialog(page).locator('code').allInnerTexts();
    expect(shown[0]).toBe(partner.keyId);
    await press(page, 'I have saved it');
    await page.getByText('2 API keys work for this key id').waitFor();
    expect(await statusWith(shown[1] ?? '')).toBe(200);
    expect(await statusWith(partner.apiKey)).toBe(200);
    const [ends] = (await key()).overlap_ends;
    const hoursLeft = (Date.parse(ends) - Date.now()) / 3_600_000;
    expect(hoursLeft).toBeGreaterThan(0.5);
    expect(hoursLeft).toBeLessThanOrEqual(1);
  });

  test('an allow-list without one’s own address is asked about twice', async () => {
    const { page, go, expectFailures } = await open({ signIn: withKey(partner) });
    expectFailures(/\/keys\/\d+$/);
    await go(`/production/keys/${partner.keyId}`);
    await press(page, 'Change');
    const list = dialog(page).getByLabel('Addresses and CIDRs');
    await list.fill('203.0.113.0/24');
    await dialog(page).getByText('were made with this key. Those from addresses').waitFor();
    await press(page, 'Save');
    await dialog(page).getByText('does not allow 127.0.0.1').waitFor();
    expect((await key()).allowed_ips).toBeNull();
    // Another list is another question.
    await list.fill('203.0.113.0/24\n127.0.0.1');
    await press(page, 'Save');
    await page.getByRole('listitem').filter({ hasText: '127.0.0.1' }).waitFor();
    expect((await key()).allowed_ips).toEqual(['203.0.113.0/24', '127.0.0.1']);
    await press(page, 'Undo');
    await page.getByText('The addresses are as they were before.').waitFor();
    expect((await key()).allowed_ips).toBeNull();

    await press(page, 'Change');
    await list.fill('203.0.113.0/24');
    await press(page, 'Save');
    // From here on, the key does not sign in from this address, so the session is refused too.
    expectFailures(/\/production\/(keys\/\d+\/.+|me)$/);
    await press(page, 'Save without your own address');
    await dialog(page).waitFor({ state: 'detached' });
    expect((await key()).allowed_ips).toEqual(['203.0.113.0/24']);
    await bellhop.support('PATCH', `${PRODUCTION}/keys/${partner.keyId}`, { allowed_ips: null });
  });

  test('another limit is asked for beside what it would have refused; the answer is there', async () => {
    const { page } = await open({ to: '/production/limits', signIn: withKey(partner) });
    await press(page, 'Ask for more of search/hp/');
    await dialog(page).getByText('The limit is 10 per minute now.').waitFor();
    await dialog(page).getByLabel('Calls').fill('40');
    await dialog(page).getByText('This endpoint was not called in the last 7 days.').waitFor();
    await dialog(page).getByLabel('Why do you need it?').fill('We grow.');
    expect(await axeFindings(page, { within: '[role="dialog"]' })).toEqual([]);
    await press(page, 'Ask API support');
    const asked = page.getByRole('region', { name: 'Limits that you asked for' });
    await asked.getByText('40 per minute of search/hp/').waitFor();
    await asked.getByText('waits for an answer').waitFor();
    const { items } = (await bellhop.support('GET', `${PRODUCTION}/limit-requests?state=open`))
      .body;
    // Support has the request by the same reference.
    await asked.getByText(items[0].id, { exact: true }).waitFor();
    const answer = { granted: false, text: 'Not yet.' };
    await bellhop.support('POST', `${PRODUCTION}/limit-requests/${items[0].id}/answer`, answer);
    await page.reload();
    await asked.getByText('API support: “Not yet.”').waitFor();
  });

  test('what waits is sent, and what was cancelled is sent again, each after its count', async () => {
    receiver.answer = status(503);
    const [cancelled] = await report(bellhop.support, partner, ['C-1', 'W-1', 'W-2']);
    await receiver.came(3);
    await bellhop.support('POST', `${PRODUCTION}/deliveries/${cancelled}/cancel`);
    receiver.answer = status(401);
    const { page } = await open({ to: '/production/webhooks', signIn: withKey(partner) });
    const row = (order: string) => page.getByRole('row').filter({ hasText: order });
    const close = () => dialog(page).getByRole('button', { name: 'Close' }).last().click();

    // The oldest goes alone, and is not delivered.
    await press(page, 'Send waiting ones now');
    await dialog(page).getByText('2 webhooks are waiting for the next attempt.').waitFor();
    await dialog(page).getByText('Your receiver has accepted no webhook since').waitFor();
    await press(page, 'Send 2 webhooks now');
    await dialog(page).getByText('order W-1, was not delivered: 401.').waitFor();
    await dialog(page).getByText('The other webhook was not sent.').waitFor();
    await dialog(page).getByText('The receiver answered 401').waitFor();
    await press(page, 'Send the other one anyway');
    await dialog(page).getByText('0 delivered, 2 failed: 401.').waitFor();
    expect(await axeFindings(page, { within: '[role=dialog]' })).toEqual([]);
    await close();
    expect(receiver.received.slice(3).map(({ orderId }) => orderId)).toEqual(['W-1', 'W-2']);

    receiver.answer = status(200);
    await press(page, 'Send waiting ones now');
    await press(page, 'Send 2 webhooks now');
    await dialog(page).getByText('2 delivered, 0 failed.').waitFor();
    await close();
    for (const order of ['W-1', 'W-2']) await row(order).getByText('delivered').waitFor();
    await row('C-1').getByText('cancelled').waitFor();

    await press(page, 'Send again since…');
    const until = dialog(page).getByLabel('Until, date');
    await dialog(page).getByLabel('Since, date').fill('2026-01-01');
    await until.fill('2026-01-02');
    await dialog(page).getByText('There is nothing to send again in this period.').waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'Send again', exact: true }).isDisabled())
      .toBe(true);
    await until.fill('');
    await dialog(page).getByText('1 webhook will be sent again.').waitFor();
    await press(page, 'Send 1 webhook again');
    await dialog(page).getByText('1 delivered, 0 failed.').waitFor();
    await close();
    await row('C-1').getByText('delivered').waitFor();
    await allAre(bellhop.support, 'delivered', partner);
  });

  test('nothing is offered to be sent to a receiver that signs with the key of another partner', async () => {
    const [partner, other] = [
      await newAgency(bellhop.support, receiver.url),
      await newAgency(bellhop.support, receiver.url),
    ];
    await report(bellhop.support, partner, ['NO-1']);
    await allAre(bellhop.support, 'delivered', partner);
    const signing = { signing_key_id: other.keyId };
    await bellhop.support('PATCH', `${PRODUCTION}/midoffices/${partner.midofficeId}`, signing);
    const { page } = await open({ to: '/production/webhooks', signIn: withKey(partner) });
    const why = page.getByText('signed with a key that is not yours').first();
    const buttons = page.getByRole('main').getByRole('button', { name: /^(Send|Change|Rehearse)/ });
    await why.waitFor();
    await page.getByRole('link', { name: 'NO-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Order NO-1' }).waitFor();
    await why.waitFor();
    expect(await buttons.count()).toBe(0);
    await page.getByRole('link', { name: 'Receiver', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Receiver' }).waitFor();
    await why.waitFor();
    expect(await buttons.count()).toBe(0);
  });

  test('the receiver check reports what a receiver that accepts everything does wrong', async () => {
    const careless = createServer((request, response) => {
      request.resume().on('end', () => response.end());
    });
    const at = await listening(careless);
    const url = `${at.url}/`;
    await bellhop.support('PATCH', `${PRODUCTION}/midoffices/${partner.midofficeId}`, { url });
    const { page } = await open({ to: '/production/receiver', signIn: withKey(partner) });
    await press(page, 'Check the receiver');
    const report = page.getByRole('region', { name: 'Receiver check' });
    await report.getByText('lines failed').waitFor();
    await report.getByRole('region', { name: 'Refuses what is not' }).waitFor();
    const saved = page.waitForEvent('download');
    await press(page, 'Save the report');
    const file = await saved;
    expect(file.suggestedFilename()).toBe('receiver-report.json');
    const saidInFile = JSON.parse(await readFile(await file.path(), 'utf8'));
    expect(saidInFile).toMatchObject({ verdict: 'failed', url });
  });
});
