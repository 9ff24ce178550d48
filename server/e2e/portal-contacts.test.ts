/** Contacts and notices from the browser to the mailbox and back. */
import { expect, test } from 'vitest';
import { startBellhop } from '../testing/bellhop.ts';
import { startMailServer } from '../testing/mail-server.ts';
import { press, signedInBrowser } from '../testing/portal-browser.ts';

const ANN = { email: 'ann@partner.example', notices: ['key_rotated'] };

test('an address is confirmed by a button behind a link in a mail, and then it is told', async () => {
  const mails = await startMailServer();
  const bellhop = await startBellhop({
    BELLHOP_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    BELLHOP_MAIL_FROM: 'Example Travel <noreply@bellhop.example>',
    BELLHOP_ENVIRONMENTS: 'sandbox',
    BELLHOP_ROLES: 'delivery,back-office,portal',
  });
  const { partnerId, keyId } = await bellhop.newKey('sandbox');
  const browser = await signedInBrowser(bellhop, 'sandbox', partnerId);
  const { body } = await browser.send('PUT', 'contacts', { contacts: [ANN] });
  expect(body).toMatchObject({ contacts: [{ ...ANN, confirmed_at: null }], sends_mail: true });
  await mails.came(1);
  const [link] = /http:\S+\/confirm\/\S+/.exec(mails.received[0]?.text ?? '') as RegExpExecArray;
  expect(link).toContain(bellhop.addresses.portal);

  // As programs do that check links.
  const page = await fetch(link);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('ann@partner.example');
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  const foreign = await press(link, { 'sec-fetch-site': 'cross-site' });
  expect(foreign.status).toBe(403);
  expect((await browser.get('contacts')).body.contacts[0].confirmed_at).toBeNull();

  expect((await press(link)).status).toBe(200);
  expect((await browser.get('contacts')).body.contacts[0].confirmed_at).toEqual(expect.any(String));
  const again = await press(link);
  expect(again.status).toBe(410);
  expect(await again.text()).toContain('does not work any more');

  const rotated = await browser.send('POST', `keys/${keyId}/rotation`, {});
  await mails.came(2);
  const told = mails.received[1]?.text as string;
  expect(told).toContain('Subject: An API key was replaced (sandbox)');
  expect(told).toContain(`key ${keyId}`);
  expect(told).not.toContain(rotated.body.api_key);
  const own = await browser.get('notices');
  expect(own.body.items).toMatchObject([
    { kind: 'key_rotated', page: `keys/${keyId}` },
    { kind: 'signed_in_by_link' },
  ]);
  await expect
    .poll(async () => {
      const { support } = bellhop;
      const found = await support('GET', `/support/v1/sandbox/notices?partner_id=${partnerId}`);
      return found.body.items[0].mails;
    })
    .toMatchObject([{ recipient: ANN.email, state: 'sent', error: null }]);
  const contacts = await bellhop.support(
    'GET',
    `/support/v1/sandbox/partners/${partnerId}/contacts`,
  );
  expect(contacts.body.contacts).toMatchObject([ANN]);
  expect((await browser.get('activity')).body.items).toMatchObject([
    { action: 'key.rotate' },
    { action: 'contact.confirm', after: { email: ANN.email } },
    { action: 'contacts.update', after: { contacts: [ANN] } },
    {},
    {},
    {},
    {},
  ]);

  // A mail server that is gone is seen, and nobody is taken out of service.
  await mails.close();
  await browser.send('POST', `keys/${keyId}/rotation`, {});
  const readiness = async () => {
    const reply = await fetch(`${bellhop.addresses.backOffice}/health/ready`);
    return { code: reply.status, ...((await reply.json()) as object) };
  };
  await expect.poll(readiness, { timeout: 20_000 }).toEqual({
    code: 200,
    status: 'degraded',
    troubles: [
      expect.stringMatching(/^sandbox: The mail server does not take mails \(.*ECONNREFUSED/),
    ],
  });
});
