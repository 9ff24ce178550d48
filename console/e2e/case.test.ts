/** The case of an order: for a ticket, and shared with the partner. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole, settled } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeConsole('a case', bellhop, (open) => {
  test('is copied as text; its shared address opens the view of the partner after sign-in', async () => {
    const receiver = await startReceiver(status(200));
    const agency = await newAgency(bellhop.support, receiver.url);
    const order = 'BK/1 %20?';
    const [deliveryId] = await report(bellhop.support, agency, [order]);
    await allAre(bellhop.support, 'delivered', agency);
    for (const path of ['search/hp/', 'hotel/info/', 'search/hp/', 'search/hp/']) {
      const headers = { authorization: basic(agency.keyId, 'wrong') };
      await fetch(`${bellhop.addresses.production}/api/b2b/v3/${path}`, { headers });
    }
    await eventually(
      () => bellhop.support('GET', '/support/v1/production/calls'),
      ({ body }) => body.items.length === 4,
    );
    const deliveries = '/support/v1/production/deliveries';
    await bellhop.support('POST', `${deliveries}/${deliveryId}/notes`, { text: 'Only for us.' });

    const { page, expectFailures } = await open({
      to: `/production/deliveries/${deliveryId}`,
      otherOrigins: [bellhop.addresses.portal],
      once: true,
    });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
    await page.getByRole('link', { name: 'Everything about this order' }).click();
    await page.getByRole('heading', { level: 1, name: `Order ${order}` }).waitFor();
    await page.getByText('“Only for us.”').waitFor();
    await page.getByText('2 more such calls').waitFor();
    await page.getByRole('button', { name: 'Copy as text' }).click();
    await expect.poll(clipboard).toMatch(/^Order BK.1 [\s\S]*\d UTC {2}Attempt 1 was delivered/);
    await page.getByRole('button', { name: 'Share with the partner' }).click();
    await expect.poll(clipboard).toContain(bellhop.addresses.portal);

    expectFailures(/\/portal\/v1\/production\/me$/);
    await page.goto(await clipboard());
    await page.getByLabel('Key id').fill(agency.keyId);
    await page.getByLabel('API key', { exact: true }).fill(agency.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: `Order ${order}` }).waitFor();
    await settled(page);
    await page.getByText(/^Attempt 1 was delivered/).waitFor();
    expect(await page.getByText('Only for us.').count()).toBe(0);
  });
});
