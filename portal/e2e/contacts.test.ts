/** Contacts and notices in a browser: added, confirmed from the mail, changed and removed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describePortal, settled } from '../../console/e2e/browser.ts';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { type MailServer, startMailServer } from '../../server/testing/mail-server.ts';
import { newLink } from '../../server/testing/portal-browser.ts';

let mails: MailServer;
const bellhop = sharedBellhop(async () => {
  mails = await startMailServer({}, () => {});
  return {
    BELLHOP_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    BELLHOP_MAIL_FROM: 'noreply@bellhop.example',
  };
});
afterAll(() => mails?.close());

describePortal('contacts', bellhop, (open) => {
  let partnerId: string;
  beforeAll(async () => {
    ({ partnerId } = await bellhop.newKey('sandbox'));
  });

  test('are added, confirmed with the link in their mail, changed and removed', async () => {
    const { url } = await newLink(bellhop, 'sandbox', partnerId);
    const { page, go, expectFailures } = await open({ signIn: async () => {} });
    // It has no midoffice, and an address is wrong.
    expectFailures(/midoffice|contacts/);
    await go(new URL(url).pathname);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const menu = page.getByRole('navigation', { name: 'Pages' });
    const entry = menu.getByRole('link', { name: 'Contacts and notices' });
    await entry.click();
    await page.getByText('Somebody signed in to the portal with a link').waitFor();
    // The longest entry of the menu takes one line, as the others do.
    const heightOf = async (one: typeof entry) => (await one.boundingBox())?.height;
    expect(await heightOf(entry)).toBe(
      await heightOf(menu.getByRole('link', { name: 'Activity' })),
    );

    await page.getByRole('button', { name: 'Add a contact' }).click();
    const dialog = page.getByRole('dialog');
    const email = dialog.getByLabel('Mail address');
    await email.fill('ann@partner');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Give one address such as').waitFor();
    await email.fill('ann@partner.example');
    await dialog.getByLabel('limits at 80 % and 100 %').uncheck();
    await dialog.getByRole('button', { name: 'Add' }).click();
    const contact = page.getByRole('listitem').filter({ hasText: 'ann@partner.example' });
    await contact.getByText('not confirmed yet').waitFor();
    await expect.poll(() => contact.getByText('limits at').count()).toBe(0);

    await mails.came(1);
    const [link] = /http:\S+\/confirm\/\S+/.exec(mails.received[0]?.text ?? '') as RegExpExecArray;
    await go(new URL(link).pathname);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();

    await go('/sandbox/contacts');
    await contact.getByText('confirmed', { exact: true }).waitFor();
    await contact.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Nobody gets notices by mail yet.').waitFor();
    await settled(page);
  });
});
