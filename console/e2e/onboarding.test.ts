import { expect, test } from 'vitest';
import { createVerifier } from '../../partner/src/verify.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic } from '../../server/testing/bellhop.ts';
import { startReceiver } from '../../server/testing/webhook-receiver.ts';
import { GIVES_UP_AT_ONCE } from './agency.ts';
import { describeConsole, settled } from './browser.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeConsole('onboarding in the sandbox', bellhop, (open) => {
  test('a partner gets a key, a midoffice, a test event and its first webhook', async () => {
    const receiver = await startReceiver();
    const { page, go } = await open();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    await go('/sandbox/partners');

    // The offer is named before anything is typed; a date outside it is not sent at all.
    await button('New partner').click();
    await dialog.getByText(/1 Oct 2025 to 31 Dec 2025/).waitFor();
    // The cursor is in the field that has to be filled.
    await page.keyboard.type('Fernweh Reisen');
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Fernweh Reisen');
    await dialog.getByLabel('Integration starts on').fill('2026-04-01');
    await dialog
      .getByRole('alert')
      .getByText(/1 Oct 2025/)
      .waitFor();
    await expect.poll(() => button('Create partner').isDisabled()).toBe(true);
    await dialog.getByLabel('Integration starts on').fill('2025-11-03');
    await button('Create partner').click();
    await page.getByRole('heading', { level: 1, name: 'Fernweh Reisen' }).waitFor();
    const partnerPage = new URL(page.url()).pathname;

    await button('New key').click();
    await dialog.getByLabel('Label').fill('first steps');
    await button('Create key').click();
    await dialog.getByText('shown only once').waitFor();
    const [keyId = '', apiKey = ''] = await dialog.locator('code').allTextContents();
    expect(apiKey).toMatch(/^[0-9a-f-]{36}$/);
    // Escape must not close a dialog with a secret that is shown once.
    await page.keyboard.press('Escape');
    await button('I have saved it').click();
    await dialog.waitFor({ state: 'hidden' });
    const reply = await fetch(`${bellhop.addresses.sandbox}/api/b2b/v3/overview/`, {
      headers: { authorization: basic(keyId, apiKey) },
    });
    expect(reply.status).toBe(200);
    await page.reload();
    await settled(page);
    await page.getByRole('link', { name: keyId }).click();
    await page.getByText('Endpoints and limits').first().waitFor();
    expect(await page.content()).not.toContain(apiKey);

    await go('/sandbox/midoffices');
    await button('New midoffice').click();
    await dialog.getByLabel('Name').fill('Fernweh midoffice');
    await dialog.getByLabel('Receiver URL').fill('https://10.0.0.1/hook');
    await dialog.getByText(/10\.0\.0\.1 is not a public address/).waitFor();
    await dialog.getByLabel('Receiver URL').fill(receiver.url);
    await dialog.getByText('Webhooks can be sent there.').waitFor();
    await dialog.getByLabel('Signing key id').fill(keyId);
    await button('Create midoffice').click();
    await page.getByRole('heading', { level: 1, name: 'Fernweh midoffice' }).waitFor();

    await button('Send test event').click();
    const tested = page.getByRole('region', { name: 'Test event' });
    await tested.getByText('HTTP 200').waitFor();
    const verifier = createVerifier({ apiKey });
    const [sent] = receiver.received;
    expect(await verifier.verify(sent?.body ?? '', sent?.headers)).toMatchObject({ ok: true });

    await go(partnerPage);
    const picker = page.getByRole('combobox', { name: 'Send its webhooks to' });
    await picker.fill('fernweh mid');
    await page.getByRole('option', { name: /Fernweh midoffice/ }).click();
    await button('Save').click();
    await page.getByText('Webhooks go to Fernweh midoffice.').waitFor();

    // Without any more input, the order shows up and is delivered.
    const { body } = await bellhop.support('POST', '/orders/v1/sandbox/events', {
      event_id: 'first',
      type: 'created',
      partner_id: partnerPage.split('/').at(-1),
      partner_order_id: 'FW-1',
    });
    expect(body.results[0].outcome).toBe('queued');
    const row = page.getByRole('row', { name: /FW-1/ });
    await row.getByText('delivered', { exact: true }).waitFor();
    const first = receiver.received.at(-1);
    expect(await verifier.verify(first?.body ?? '', first?.headers)).toMatchObject({
      ok: true,
      event: { type: 'created', partnerOrderId: 'FW-1' },
    });
  });
});
