/** Contacts and notices from the browser to the mailbox and back, and a kill -9 in the middle of a mail. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config/config.ts';
import { createLog } from '../src/base/log.ts';
import { Metrics } from '../src/base/metrics.ts';
import { openEnvironment } from '../src/main/environment.ts';
import { startMailing } from '../src/main/mailing.ts';
import { HELD_MS } from '../src/notices/mailer.ts';
import { settingsForTest, spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { type MailServer, startMailServer } from '../testing/mail-server.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { press, signedInBrowser } from '../testing/portal-browser.ts';
import { newMasterKey } from '../testing/settings.ts';

// Mails are looked for every five seconds.
vi.setConfig({ testTimeout: 60_000 });

const ANN = { email: 'ann@partner.example', notices: ['key_rotated'] };

const mailTo = ({ port }: MailServer) => ({
  BELLHOP_SMTP_URL: `smtp://127.0.0.1:${port}`,
  BELLHOP_MAIL_FROM: 'Example Travel <noreply@bellhop.example>',
  BELLHOP_ENVIRONMENTS: 'sandbox',
  BELLHOP_ROLES: 'delivery,back-office,portal',
});

test('an address is confirmed by a button behind a link in a mail, and then it is told', async () => {
  const mails = await startMailServer();
  const bellhop = await startBellhop(mailTo(mails));
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

async function killInTheMiddle(more: Record<string, string>): Promise<void> {
  const mails = await startMailServer();
  mails.answer('hang');
  const given = { ...mailTo(mails), ...more };
  const settings = await settingsForTest({
    BELLHOP_DATA_DIR: await temporaryFolder(),
    BELLHOP_MASTER_KEY: newMasterKey(),
    ...given,
  });
  const bellhop = await spawnBellhop(settings);
  const { partnerId } = await bellhop.newKey('sandbox');
  const browser = await signedInBrowser(bellhop, 'sandbox', partnerId);
  await browser.send('PUT', 'contacts', { contacts: [ANN] });
  // It has all of the mail, and does not say whether it takes it.
  await mails.came(1);
  await bellhop.kill();

  // The next process, once the killed one has lost the mail.
  mails.answer('take');
  const config = readConfig(settings);
  const clock = new ManualClock(systemClock.now() + HELD_MS);
  const closing = new AsyncDisposableStack();
  onTestFinished(() => closing.disposeAsync());
  const environment = await openEnvironment(
    {
      name: 'sandbox',
      config,
      masterKey: config.masterKey as Buffer,
      clock,
      log: createLog('silent'),
    },
    closing,
  );
  const portalUrl = () => 'https://portal.example';
  const mailing = startMailing([{ ...environment, clock }], {
    ...{ config, portalUrl },
    metrics: new Metrics(),
  });
  closing.defer(() => mailing.stop());
  clock.advance(10_000);
  await mails.came(2);
  const [before, after] = mails.received.map(({ text }) => /Message-ID: .*/.exec(text)?.[0]);
  expect(after).toBe(before);
}

test('a mail that was under way when the process was killed is sent again, embedded', () =>
  killInTheMiddle({}));

describeWithPostgres('on PostgreSQL', (_empty, databaseWithTables) => {
  test('a mail that was under way when the process was killed is sent again', async () =>
    killInTheMiddle({ BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables() }));
});
