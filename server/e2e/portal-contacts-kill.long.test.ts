/** A kill -9 in the middle of a mail. */
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config/config.ts';
import { createLog } from '../src/base/log.ts';
import { Metrics } from '../src/base/metrics.ts';
import { openEnvironment } from '../src/main/environment.ts';
import { startMailing } from '../src/main/mailing.ts';
import { HELD_MS } from '../src/notices/mailer.ts';
import { settingsForTest, spawnBellhop } from '../testing/bellhop.ts';
import { startMailServer } from '../testing/mail-server.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { signedInBrowser } from '../testing/portal-browser.ts';
import { newMasterKey } from '../testing/settings.ts';

async function killInTheMiddle(more: Record<string, string>): Promise<void> {
  const mails = await startMailServer();
  mails.answer('hang');
  const settings = await settingsForTest({
    BELLHOP_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    BELLHOP_MAIL_FROM: 'Example Travel <noreply@bellhop.example>',
    BELLHOP_ENVIRONMENTS: 'sandbox',
    BELLHOP_ROLES: 'delivery,back-office,portal',
    BELLHOP_DATA_DIR: await temporaryFolder(),
    BELLHOP_MASTER_KEY: newMasterKey(),
    ...more,
  });
  const bellhop = await spawnBellhop(settings);
  const { partnerId } = await bellhop.newKey('sandbox');
  const browser = await signedInBrowser(bellhop, 'sandbox', partnerId);
  await browser.send('PUT', 'contacts', {
    contacts: [{ email: 'ann@partner.example', notices: ['key_rotated'] }],
  });
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
