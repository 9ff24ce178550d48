import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { type MailServer, startMailServer } from '../../server/testing/mail-server.ts';
import { press, signedInBrowser } from '../../server/testing/portal-browser.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { describeConsole } from './browser.ts';

let mails: MailServer;
const bellhop = sharedBellhop(async () => {
  mails = await startMailServer({}, () => {});
  return {
    ...GIVES_UP_AT_ONCE,
    BELLHOP_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    BELLHOP_MAIL_FROM: 'noreply@bellhop.example',
  };
});
afterAll(() => mails?.close());
const PRODUCTION = '/support/v1/production';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const region = (page: Page, name: string) => page.getByRole('region', { name });

async function createPartner(name: string): Promise<string> {
  const { body } = await bellhop.support('POST', `${PRODUCTION}/partners`, {
    name,
    integration_started_on: '2025-11-01',
    is_new: false,
  });
  return body.id;
}

/** The sentence of a verdict and its advice; how long it is until something changes while it is read. */
async function linesOf(verdict: Locator): Promise<string[]> {
  const lines = await verdict.locator('h2, li').allTextContents();
  return lines.map((line) => line.replace(/\d+ (s|min)/, 'some time'));
}

/** The text of the file that a click downloads. */
async function downloaded(page: Page, click: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return {
    name: download.suggestedFilename(),
    text: await readFile(await download.path(), 'utf8'),
  };
}

describeConsole('the page of a partner', bellhop, (open) => {
  test('leads through onboarding without leaving, and says what is done', async () => {
    const receiver = await startReceiver(status(500));
    const id = await createPartner('Nordlicht');
    const { page } = await open({ to: `/production/partners/${id}` });
    const address = page.url();
    const onboarding = region(page, 'Onboarding');
    const dialog = page.getByRole('dialog');

    await button(page, 'Create a key').click();
    await button(page, 'Create key').click();
    await button(page, 'I have saved it').click();
    await onboarding.getByText('Key, done').waitFor();

    await button(page, 'Create a midoffice').click();
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Nordlicht midoffice');
    await expect.poll(() => dialog.getByLabel('Signing key id').inputValue()).toMatch(/^\d+$/);
    await dialog.getByLabel('Receiver URL').fill(receiver.url);
    await button(page, 'Create midoffice').click();
    await onboarding.getByText('Midoffice, done').waitFor();
    await page.getByText('Webhooks go to Nordlicht midoffice.').waitFor();

    await onboarding.getByRole('button', { name: 'Send test event' }).click();
    await onboarding.getByText('HTTP 500').waitFor();
    await onboarding.getByText('Test webhook, not done yet').waitFor();
    receiver.answer = status(200);
    await onboarding.getByRole('button', { name: 'Send test event' }).click();
    await onboarding.getByText('Test webhook, done').waitFor();

    await button(page, 'Record certification').click();
    await dialog.getByLabel('Reference').fill('CERT-5');
    await dialog.getByRole('button', { name: 'Record certification' }).click();
    await onboarding.getByText('Certification recorded, done').waitFor();
    await expect.poll(() => button(page, 'Check receiver').count()).toBe(1);
    expect(page.url()).toBe(address);

    const activity = region(page, 'Activity');
    await activity.getByText('sent a test event to Nordlicht midoffice, 2 times').waitFor();
    for (const happened of ['created the partner', 'created the key', 'created the midoffice']) {
      await activity.getByText(happened).waitFor();
    }
  });

  test('gives people links to the portal, and ends links and sessions', async () => {
    const id = await createPartner('Blue Horizon');
    const { page } = await open({ to: `/production/partners/${id}?tab=portal` });
    const portal = region(page, 'Portal');
    const dialog = page.getByRole('dialog');
    await portal.getByText('Nobody of this partner is signed in.').waitFor();
    await button(page, 'New link').click();
    await dialog.getByLabel('Rotate keys').check();
    await dialog.getByLabel('In 1 day').check();
    await button(page, 'Make link').click();
    await dialog.getByText('The link is shown only once.').waitFor();
    const url = (await dialog.locator('code').textContent()) ?? '';
    await button(page, 'I have saved it').click();
    const links = portal.getByRole('list', { name: 'Open links' });
    await links.getByText('May: read, send again, keys · expires in 24 h').waitFor();

    const entered = await press(url);
    expect(entered.status).toBe(303);
    const sessions = portal.getByRole('list', { name: 'Signed in' });
    await sessions.getByText('By a link').waitFor();
    await links.waitFor({ state: 'hidden' });
    await expect.poll(() => button(page, 'End the link').count()).toBe(0);
    await button(page, 'End the session from 127.0.0.1').click();
    await button(page, 'End it').click();
    await portal.getByText('Nobody of this partner is signed in.').waitFor();

    await button(page, 'See as the partner').click();
    const look = dialog.getByRole('link', { name: 'Open the portal' });
    const preview = (await look.getAttribute('href')) ?? '';
    expect(preview.startsWith(`${bellhop.addresses.portal}/enter/production/`)).toBe(true);
    await button(page, 'Close').last().click();
    await links.getByText('To see as the partner').waitFor();
    await button(page, 'End the link').click();
    await button(page, 'End it').click();
    // While the dialog is open, the list behind it is hidden, too.
    await dialog.waitFor({ state: 'hidden' });
    await links.waitFor({ state: 'hidden' });
    expect((await press(preview)).status).toBe(410);
  });

  test('shows what the first page of the portal says, who was there and what they changed', async () => {
    const receiver = await startReceiver(status(500));
    const agency = await newAgency(bellhop.support, receiver.url, { partner: 'Seen Travel' });
    await newAgency(bellhop.support, receiver.url, { partner: 'Seen Travel' });
    await report(bellhop.support, agency, ['SEEN-1', 'SEEN-2']);
    await allAre(bellhop.support, 'exhausted', agency);
    await bellhop.support('PATCH', `${PRODUCTION}/keys/${agency.keyId}`, {
      expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
    });
    const refused = await fetch(`${bellhop.addresses.production}/api/b2b/v3/overview/`, {
      headers: { authorization: basic(agency.keyId, 'not the API key') },
    });
    expect(refused.status).toBe(401);
    await eventually(
      () => bellhop.support('GET', `${PRODUCTION}/calls/codes?partner_id=${agency.partnerId}`),
      ({ body }) => body.items[0]?.calls === 1,
    );
    const theirs = await signedInBrowser(bellhop, 'production', agency.partnerId);
    await theirs.send('PATCH', `keys/${agency.keyId}`, { label: 'Web shop' });
    const { page } = await open({ to: `/production/partners/${agency.partnerId}` });
    await page.getByRole('link', { name: 'Portal', exact: true }).click();
    const verdict = region(page, 'Verdict');
    await verdict.getByText(/expires in/).waitFor();
    await verdict.getByText('1 call refused or failed in the last 24 hours').waitFor();
    const support = await linesOf(verdict);
    const did = region(page, 'What their people did');
    await did.getByText('changed the label of').waitFor();
    await did.getByText('opened the portal of').waitFor();
    expect(await did.getByRole('listitem').count()).toBe(2);

    const portal = await open({
      at: bellhop.addresses.portal,
      to: '/production',
      signIn: async (context) => {
        const data = { key_id: agency.keyId, api_key: agency.apiKey };
        const headers = { 'x-bellhop-portal': '1' };
        const reply = await context.request.post('/portal/v1/production/session', {
          data,
          headers,
        });
        expect(reply.status()).toBe(200);
      },
    });
    const partner = portal.page.getByRole('region', { name: 'Verdict' });
    await partner.getByText(/expires in/).waitFor();
    expect(await linesOf(partner)).toEqual(support);
  });

  test('mails a link to a confirmed contact, and says to whom', async () => {
    const id = await createPartner('Mail Order');
    const portal = await signedInBrowser(bellhop, 'production', id);
    const contacts = ['bob@partner.example', 'new@partner.example'];
    await portal.send('PUT', 'contacts', {
      contacts: contacts.map((email) => ({ email, notices: ['signed_in_by_link'] })),
    });
    await mails.came(2);
    const toBob = () => mails.received.filter(({ to }) => to.includes('bob@partner.example'));
    const linkIn = (text = '') => (/http:\S+\/(?:confirm|enter)\/\S+/.exec(text) ?? [''])[0];
    expect((await press(linkIn(toBob()[0]?.text))).status).toBe(200);

    const { page } = await open({ to: `/production/partners/${id}?tab=portal` });
    await button(page, 'New link').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('In 7 days').check();
    await dialog.getByLabel('Mail it to bob@partner.example').check();
    await expect.poll(() => dialog.getByLabel('Mail it to new@partner.example').count()).toBe(0);
    await expect.poll(() => dialog.getByLabel('In 7 days').count()).toBe(0);
    await expect.poll(() => dialog.getByLabel('In 1 day').isChecked()).toBe(true);
    await button(page, 'Make link').click();
    await dialog.getByText('The link is mailed to bob@partner.example.').waitFor();
    await expect.poll(() => dialog.textContent()).not.toContain('/enter/');
    await button(page, 'Done').click();
    await mails.came(3);
    const url = linkIn(toBob()[1]?.text);
    expect((await press(url)).status).toBe(303);
    expect((await press(url)).status).toBe(410);
    await page.getByRole('link', { name: 'Partner', exact: true }).click();
    await region(page, 'Activity').getByText('mailed to bob@partner.example').waitFor();

    // A sign-in by link is a notice, which the contact gets by mail as well.
    await mails.came(4);
    await page.getByRole('link', { name: 'All notices' }).click();
    await page.getByRole('heading', { name: 'Notices', level: 1 }).waitFor();
    await page.getByLabel('Notice').selectOption('sign-in by link');
    const notice = page
      .locator('[data-list]')
      .getByRole('listitem')
      .filter({ hasText: 'Somebody signed in to the portal with a link' })
      .first();
    await notice.getByText('mailed', { exact: true }).waitFor();
    await notice.getByText('bob@partner.example').waitFor();
    await notice.getByRole('link', { name: 'Mail Order' }).waitFor();
    const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    expect(csv).toContain(`partner_id=${id}&kind=signed_in_by_link`);
    await page.getByLabel('Mail').selectOption('given up');
    await page.getByText('No notice matches these filters.').waitFor();
  });

  test('is live: what others do shows up by itself', async () => {
    const receiver = await startReceiver(status(500));
    const agency = await newAgency(bellhop.support, receiver.url, { partner: 'Live' });
    const { page } = await open({ to: `/production/partners/${agency.partnerId}` });
    const [deliveryId = ''] = await report(bellhop.support, agency, ['L-1']);
    await allAre(bellhop.support, 'exhausted', agency);
    await bellhop.support('POST', `${PRODUCTION}/keys/${agency.keyId}/notes`, {
      text: 'From a colleague',
    });
    const activity = region(page, 'Activity');
    await activity.getByText('From a colleague').waitFor();
    const lost = activity.getByRole('link', { name: 'A webhook' });
    await lost.waitFor();
    await expect.poll(() => lost.getAttribute('href')).toBe(`/production/deliveries/${deliveryId}`);
  });

  test('takes notes, as the pages of a key, a midoffice and a delivery do', async () => {
    const agency = await newAgency(bellhop.support, 'http://127.0.0.1:9/');
    await bellhop.support('PATCH', `${PRODUCTION}/midoffices/${agency.midofficeId}`, {
      paused: true,
    });
    const [deliveryId] = await report(bellhop.support, agency, ['N-1']);
    const { page, go } = await open();
    for (const path of [
      `partners/${agency.partnerId}`,
      `keys/${agency.keyId}`,
      `midoffices/${agency.midofficeId}`,
      `deliveries/${deliveryId}`,
    ]) {
      await go(`/production/${path}`);
      const notes = region(page, 'Notes');
      await notes.getByText('No notes yet.').waitFor();
      await expect
        .poll(() => notes.getByRole('button', { name: 'Add note' }).isDisabled())
        .toBe(true);
      await notes.getByLabel('New note').fill('Called them.\n<b>Back on Monday</b>');
      await notes.getByRole('button', { name: 'Add note' }).click();
      const note = notes.getByRole('listitem');
      await note.getByText('<b>Back on Monday</b>').waitFor();
      await note.getByText('admin', { exact: true }).waitFor();
      await expect.poll(() => notes.getByLabel('New note').inputValue()).toBe('');
    }
  });

  test('asks why it is suspended, and so do revoking a key and cancelling a delivery', async () => {
    const agency = await newAgency(bellhop.support, 'http://127.0.0.1:9/');
    await bellhop.support('PATCH', `${PRODUCTION}/midoffices/${agency.midofficeId}`, {
      paused: true,
    });
    const [deliveryId = ''] = await report(bellhop.support, agency, ['R-1']);
    const { page, go } = await open();
    const dialog = page.getByRole('dialog');
    const recorded = async (subject: string) => {
      const { body } = await bellhop.support('GET', `${PRODUCTION}/audit?subject=${subject}`);
      return body.items[0].after.reason;
    };

    await go(`/production/partners/${agency.partnerId}`);
    await button(page, 'Suspend').click();
    await dialog.getByLabel('Reason').fill('Unpaid invoices');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await recorded(agency.partnerId)).toBe('Unpaid invoices');

    await go(`/production/deliveries/${deliveryId}`);
    await button(page, 'Cancel delivery').click();
    await dialog.getByLabel('Reason').fill('Told by phone');
    await dialog.getByRole('button', { name: 'Cancel delivery' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await recorded(deliveryId)).toBe('Told by phone');

    await go(`/production/keys/${agency.keyId}`);
    await button(page, 'Revoke').click();
    await dialog.getByLabel(/^Type/).fill(agency.keyId);
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await recorded(agency.keyId)).toBeUndefined();
  });
});

describeConsole('lists', bellhop, (open) => {
  test('are sorted by their headers, show their total, and are downloaded as shown', async () => {
    for (const name of ['Sort b', 'sort a', 'Sort c']) await createPartner(name);
    const { page } = await open({ to: '/production/partners?name=sort' });
    await page.getByText('3 partners').waitFor();
    const names = () => page.locator('tbody tr td:first-child').allTextContents();
    await expect.poll(() => names()).toEqual(['Sort c', 'sort a', 'Sort b']);
    const header = page.getByRole('columnheader', { name: 'Partner' });
    await button(page, 'Partner').click();
    await page.waitForURL('**/partners?name=sort&sort=name');
    await page.getByRole('row').nth(1).getByText('sort a').waitFor();
    await expect.poll(() => names()).toEqual(['sort a', 'Sort b', 'Sort c']);
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
    await button(page, 'Partner').click();
    await page.getByRole('row').nth(1).getByText('Sort c').waitFor();
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending');

    const { name, text } = await downloaded(page, () =>
      page.getByRole('link', { name: 'CSV' }).click(),
    );
    expect(name).toMatch(/^bellhop-production-partners-[\d-]+\.csv$/);
    const rows = text.trimEnd().split('\r\n');
    expect(rows.slice(1).map((row) => row.split(',')[1])).toEqual(['Sort c', 'Sort b', 'sort a']);
  });

  test('of every kind can be downloaded', async () => {
    await newAgency(bellhop.support, 'http://127.0.0.1:9/');
    const { page, go } = await open();
    for (const list of ['partners', 'keys', 'midoffices', 'deliveries', 'audit', 'tokens']) {
      await go(`/production/${list}`);
      const { name, text } = await downloaded(page, () =>
        page.getByRole('link', { name: 'CSV' }).click(),
      );
      expect(name).toContain(list);
      expect(text).toMatch(/^(id|key_id),/);
    }
  });

  test('of changes can be read from the oldest', async () => {
    await createPartner('Oldest');
    const { page } = await open({ to: '/production/audit' });
    await button(page, 'Oldest first').click();
    await page.waitForURL('**/audit?sort=at');
    await page.getByRole('listitem').first().getByText('created the token').waitFor();
    await button(page, 'Newest first').click();
    await page.waitForURL('**/audit');
  });
});
