/** The audit says who did what in a sentence, and undoes what can be undone. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const PRODUCTION = '/support/v1/production';
const HP = 'api/b2b/v3/search/hp/';

describeConsole('the audit', bellhop, (open) => {
  test('says whose limit changed, and reverts it by the rules of a raise', async () => {
    const { support } = bellhop;
    const agency = await newAgency(support, 'http://127.0.0.1:9/', { partner: 'Blue Horizon' });
    const { partnerId, keyId } = agency;
    await support('POST', `${PRODUCTION}/partners/${partnerId}/certification`, {
      reference: 'CERT-1',
    });
    const limit = async () => {
      const { body } = await support('GET', `${PRODUCTION}/keys/${keyId}/endpoints`);
      const hp = body.items.find(({ endpoint }: { endpoint: string }) => endpoint === HP);
      return hp.requests_number;
    };
    await support('PUT', `${PRODUCTION}/keys/${keyId}/endpoints`, {
      endpoint: HP,
      requests_number: 4,
    });
    const { page } = await open({ to: '/production/audit' });
    const about = page.getByRole('combobox', { name: 'About' });
    await about.click();
    await page.keyboard.type(keyId, { delay: 30 });
    await page.keyboard.press('Enter');
    await page.waitForURL(/subject=/);
    await page.getByLabel('Action').selectOption('Limit or endpoint changed');
    const entry = page.getByRole('listitem').filter({ hasText: 'search/hp/' }).first();
    await entry
      .getByText('admin lowered search/hp/ for Blue Horizon (live) from 10 to 4 a minute')
      .waitFor();
    await entry.getByRole('button', { name: 'Revert' }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo this change?' });
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Undo the change' }).isDisabled())
      .toBe(true);
    await dialog.getByLabel('Approval reference').fill('TICKET-1204');
    await dialog.getByRole('button', { name: 'Undo the change' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page
      .getByText(/undid a change: raised search\/hp\/ for .* from 4 to 10 a minute, TICKET-1204/)
      .waitFor();
    expect(await limit()).toBe(10);
  });

  test('has one entry for one recovery', async () => {
    const { support } = bellhop;
    const receiver = await startReceiver(status(500));
    const agency = await newAgency(support, receiver.url, { midoffice: 'One entry' });
    await report(
      support,
      agency,
      Array.from({ length: 60 }, (_, n) => `OE-${n}`),
    );
    await allAre(support, 'exhausted', agency);
    receiver.answer = status(200);
    const { page, go } = await open({ to: `/production/midoffices/${agency.midofficeId}` });
    await page.getByRole('button', { name: 'Send again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send 60 deliveries again' }).click();
    await dialog.getByText('60 delivered, 0 failed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await go(`/production/audit?subject=${agency.midofficeId}&action=midoffice.recover`);
    await page.getByText('admin sent 60 deliveries of One entry again').waitFor();
    await expect.poll(() => page.locator('[data-list]').getByRole('listitem').count()).toBe(1);
  });
});
