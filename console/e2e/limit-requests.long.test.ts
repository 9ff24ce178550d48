/** "Would this limit do?", and the limits that partners ask for in the portal. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { signedInBrowser } from '../../server/testing/portal-browser.ts';
import { newAgency, report } from './agency.ts';
import { axeFindings } from './axe.ts';
import { describeConsole, settled } from './browser.ts';

const bellhop = sharedBellhop(() => ({ BELLHOP_PRODUCTION_RECEIVER_ALLOW: '127.0.0.0/8' }));
const HP = 'api/b2b/v3/search/hp/';
const PRODUCTION = '/support/v1/production';
const CALLS = 8;

async function certified() {
  const agency = await newAgency(bellhop.support, 'http://127.0.0.1:9/hook');
  const certification = `${PRODUCTION}/partners/${agency.partnerId}/certification`;
  await bellhop.support('POST', certification, { reference: 'CERT-1' });
  const trial = (requests: number) =>
    bellhop.support(
      'GET',
      `${PRODUCTION}/keys/${agency.keyId}/limit-trial?endpoint=${HP}&requests_number=${requests}&seconds_number=60`,
    );
  return { ...agency, trial };
}

describeConsole('limits', bellhop, (open) => {
  test('a proposed limit is tried on the calls of the last 7 days, also where it is raised', async () => {
    const { keyId, apiKey, trial } = await certified();
    for (let made = 0; made < CALLS; made++) {
      const headers = { authorization: basic(keyId, apiKey) };
      await (await fetch(`${bellhop.addresses.production}/${HP}`, { headers })).text();
    }
    await eventually(
      () => trial(1),
      ({ body }) => body.calls === CALLS,
    );
    const { page } = await open({ to: `/production/keys/${keyId}` });
    await page.getByRole('button', { name: 'Edit limit of search/hp/' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Calls').fill('3');
    const { at_least, at_most, hours } = (await trial(3)).body;
    expect(at_most).toBe(CALLS - 3);
    const range = at_least === at_most ? `${at_most}` : `between ${at_least} and ${at_most}`;
    const said = dialog.getByRole('region', { name: 'Would this limit do?' });
    await said
      .getByText(
        `It would have refused ${at_least === 0 ? `at most ${at_most}` : range} of the ${CALLS} calls of the last 7 days.`,
      )
      .waitFor();
    await said.locator('summary').click();
    expect(await said.getByRole('listitem').count()).toBe(hours.length);

    await dialog.getByLabel('Calls').fill('40');
    await said
      .getByText(`It would have refused none of the ${CALLS} calls of the last 7 days.`)
      .waitFor();
    await dialog.getByLabel('Approval reference').waitFor();
    expect(await axeFindings(page, { within: '[role="dialog"]' })).toEqual([]);
  });

  test('what a partner asks for is a task on the first page, and is granted or refused there', async () => {
    const { keyId, partnerId } = await certified();
    // Before the first one, the page has the first steps.
    await report(bellhop.support, { partnerId }, ['BK-1']);
    const portal = await signedInBrowser(bellhop, 'production', partnerId);
    const numbers = { requests_number: 40, seconds_number: 60 };
    const asked = { key_id: keyId, endpoint: HP, ...numbers, reason: 'We grow.' };
    const { id } = (await portal.send('POST', 'limit-requests', asked)).body;
    await portal.send('POST', 'limit-requests', { ...asked, endpoint: 'api/b2b/v3/hotel/info/' });

    const { page } = await open({ to: '/production' });
    await page.getByRole('link', { name: 'Requests 2 without an answer' }).waitFor();
    await page.getByRole('link', { name: '2 requests' }).click();
    await settled(page);
    const row = (path: string) => page.getByRole('listitem').filter({ hasText: path });
    const dialog = page.getByRole('dialog');
    await row('search/hp/').getByText(id, { exact: true }).waitFor();
    await row('search/hp/').getByRole('button', { name: 'Answer…' }).click();
    await dialog.getByText('“We grow.”').waitFor();
    await dialog.getByText('This endpoint was not called in the last 7 days.').waitFor();
    const grant = dialog.getByRole('button', { name: 'Grant the limit' });
    await expect.poll(() => grant.isDisabled()).toBe(true);
    await dialog.getByLabel('Approval reference').fill('SALES-7');
    expect(await axeFindings(page, { within: '[role="dialog"]' })).toEqual([]);
    await grant.click();
    await row('search/hp/').waitFor({ state: 'detached' });

    await row('hotel/info/').getByRole('button', { name: 'Answer…' }).click();
    await dialog.getByLabel('Refuse it').check();
    const refuse = dialog.getByRole('button', { name: 'Refuse', exact: true });
    await expect.poll(() => refuse.isDisabled()).toBe(true);
    await dialog.getByLabel('Text for the partner').fill('Not yet.');
    await refuse.click();
    await page.getByText('No request matches these filters.').waitFor();

    const { items } = (await portal.get('limit-requests')).body;
    expect(items).toMatchObject([
      { state: 'refused', text: 'Not yet.' },
      { endpoint: HP, state: 'granted' },
    ]);
    const grants = (await bellhop.support('GET', `${PRODUCTION}/keys/${keyId}/endpoints`)).body;
    expect(grants.items).toContainEqual(expect.objectContaining({ endpoint: HP, ...numbers }));
  });
});
