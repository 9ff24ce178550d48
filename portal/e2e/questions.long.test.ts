/** The questions that partners ask API support, each answered by the portal in at most 4 clicks from its first page. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings } from '../../console/e2e/axe.ts';
import { describePortal, PHONE, settled } from '../../console/e2e/browser.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { FOREIGN_ADDRESS, PORTAL_SETTINGS, portalPartner, withKey } from './partner.ts';

const MOST_CLICKS = 4;
const bellhop = sharedBellhop(() => PORTAL_SETTINGS);

describePortal('a partner asks:', bellhop, (open) => {
  const partner = portalPartner(bellhop);

  /** The first page; `click` counts. */
  async function fromHome(
    ask: (page: Page, click: (what: Locator) => Promise<void>) => Promise<void>,
    refused = /^$/,
  ): Promise<void> {
    const { page, go, expectFailures } = await open({ signIn: withKey(partner()) });
    expectFailures(refused);
    await go('/production');
    let clicks = 0;
    await ask(page, async (what) => {
      clicks++;
      await what.click();
      await settled(page);
    });
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
  }
  const menu = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
  const row = (page: Page, text: string | RegExp) =>
    page.getByRole('row').filter({ hasText: text });

  test('how is it? The first page says that webhooks do not arrive, and what to do', async () => {
    await fromHome(async (page) => {
      const verdict = page.getByRole('region', { name: 'Verdict' });
      await verdict.getByText('Webhooks do not arrive at the moment.').waitFor();
      await verdict.getByRole('link', { name: 'Send 2 webhooks again' }).waitFor();
      await verdict.getByRole('link', { name: 'The limit of search/hp/' }).waitFor();
      await page.getByRole('banner').getByText('production').waitFor();
    });
  });

  test('what may I call?', async () => {
    await fromHome(async (page, click) => {
      await click(menu(page, 'Limits'));
      await row(page, 'hotel/order/booking/finish/status/').getByText('no limit').waitFor();
      const limits = page.getByRole('table', { name: 'Limits' });
      await expect.poll(() => limits.locator('tbody tr:not([data-group])').count()).toBe(43);
    });
  });

  test('how much is left?', async () => {
    await fromHome(async (page, click) => {
      await click(menu(page, 'Limits'));
      const meter = page.getByRole('meter', { name: 'Used of api/b2b/v3/search/hp/' });
      await expect.poll(() => meter.getAttribute('aria-valuetext')).toBe('10 of 10');
      await row(page, 'search/hp/')
        .getByText(/^in \d+ h$/)
        .waitFor();
    });
  });

  test.for([
    ['429', 'endpoint_exceeded_limit', 'search/hp/'],
    ['403', 'not_allowed_host', FOREIGN_ADDRESS],
    ['401', 'incorrect_credentials', FOREIGN_ADDRESS],
  ] as const)('why %s?', async ([reply, code, seen]) => {
    await fromHome(async (page, click) => {
      await click(menu(page, 'Refused calls'));
      const byCode = page.getByRole('region', { name: 'By code' });
      const about = byCode.getByRole('listitem').filter({ hasText: code });
      await expect.poll(() => about.innerText()).toContain(reply);
      await click(about.getByRole('button', { name: `Show only these: ${code}` }));
      await page.waitForURL(`**code=${code}`);
      const calls = page.getByRole('region', { name: 'Newest calls' }).getByRole('listitem');
      await calls.filter({ hasText: code }).first().getByText(seen).first().waitFor();
      await expect.poll(() => page.getByLabel('Code', { exact: true }).inputValue()).toBe(code);
      // The counts are those of all codes.
      await expect.poll(() => byCode.getByRole('listitem').count()).toBeGreaterThan(2);
    });
  });

  test('may this address call? It is allowed beside the call that was refused', async () => {
    await fromHome(async (page, click) => {
      await click(menu(page, 'Refused calls'));
      await click(page.getByRole('button', { name: 'Allow this address' }).first());
      await click(page.getByRole('button', { name: 'Allow it' }));
      await page.getByText('already allowed').first().waitFor();
    });
    const path = `/support/v1/production/keys/${partner().keyId}`;
    const { body } = await bellhop.support('GET', path);
    expect(body.allowed_ips).toEqual(['127.0.0.1', FOREIGN_ADDRESS]);
  });

  test('which key is in trouble? Its limits are opened; on a phone, what it uses comes first', async () => {
    const { partnerId, keyId } = partner();
    const path = `/support/v1/production/partners/${partnerId}/keys`;
    const { body: quiet } = await bellhop.support('POST', path, { label: 'back office' });
    const signIn = withKey({ keyId: quiet.key_id, apiKey: quiet.api_key });
    const { page, go } = await open({ signIn });
    await page.setViewportSize(PHONE);
    await go('/production/limits');
    await page.getByRole('heading', { level: 2, name: `live (${keyId})` }).waitFor();
    await page.getByText('search/hp/', { exact: true }).waitFor();
    const prebook = page.getByText('hotel/prebook/', { exact: true });
    await expect.poll(() => prebook.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Prebook 2', expanded: false }).click();
    await prebook.waitFor();
    expect(await axeFindings(page, { once: true })).toEqual([]);
  });

  test('would another limit do? It is tried beside the request for it', async () => {
    await fromHome(async (page, click) => {
      await click(menu(page, 'Limits'));
      await click(page.getByRole('button', { name: 'Ask for more of search/hp/' }));
      await page.getByRole('dialog').getByLabel('Calls').fill('5');
      await page
        .getByText(/^It would have refused .* of the 12 calls of the last 7 days/)
        .waitFor();
    });
  });

  test('did the webhook of an order arrive?', async () => {
    await fromHome(async (page, click) => {
      await page.getByLabel('Order id').fill(' bad-1');
      await click(page.getByRole('button', { name: 'Find' }));
      await page.getByText('The receiver answered 500').first().waitFor();
      await click(page.getByRole('link', { name: 'Open the webhook' }).first());
      await page.getByText('Why did this fail?').waitFor();
      await page.getByText('"error": "database is down"').first().waitFor();
    });
  });

  test('an order id may have any characters in the address of its case', async () => {
    await fromHome(async (page, click) => {
      const order = 'No/such order?#%20';
      await page.getByLabel('Order id').fill(order);
      await click(page.getByRole('button', { name: 'Find' }));
      await page.getByText('No order, webhook or call of yours has this id.').waitFor();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(order);
    }, /\/cases\//);
  });

  test('we have a new URL: a wrong one changes nothing, a right one takes over', async () => {
    const next = await startReceiver(status(404));
    await fromHome(async (page, click) => {
      await click(menu(page, 'Receiver'));
      await click(page.getByRole('button', { name: 'Change the URL' }));
      await page.getByLabel('New URL').fill(`${next.url}wrong`);
      const submit = page.getByRole('button', { name: 'Test and change' });
      await submit.click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      // The page below the dialog.
      await expect.poll(() => page.locator('main').innerText()).toContain(partner().receiver.url);
      next.answer = status(200);
      await page.getByLabel('New URL').fill(next.url);
      await click(submit);
      await page.getByRole('main').getByText(next.url, { exact: true }).waitFor();
    }, /\/midoffice$/);
  });

  test('would our new receiver take the webhooks? A rehearsal says so before it takes over', async () => {
    const next = await startReceiver(status(200));
    await fromHome(async (page, click) => {
      await click(menu(page, 'Receiver'));
      await click(page.getByRole('button', { name: 'Change the URL' }));
      await page.getByLabel('New URL').fill(next.url);
      await click(page.getByRole('button', { name: 'Rehearse with this URL…' }));
      await click(page.getByRole('button', { name: 'Rehearse', exact: true }));
      await page.getByText('Passed: all 4 webhooks were accepted.').waitFor();
      expect(next.received[0]?.headers['x-bellhop-rehearsal']).toBe('1');
      expect(await axeFindings(page, { within: '[role="dialog"]' })).toEqual([]);
    });
  });

  test('can you send everything again since this morning?', async () => {
    const { receiver } = partner();
    receiver.answer = status(200);
    const path = `/support/v1/production/midoffices/${partner().midofficeId}`;
    await bellhop.support('PATCH', path, { url: receiver.url });
    await fromHome(async (page, click) => {
      await click(menu(page, 'Webhooks'));
      await click(page.getByRole('button', { name: 'Send again since…' }));
      await page.getByText('2 webhooks will be sent again.').waitFor();
      await click(page.getByRole('button', { name: 'Send 2 webhooks again' }));
      await page.getByText('2 delivered, 0 failed.').waitFor();
    });
  });
});
