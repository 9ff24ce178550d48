/** The process is killed while a new URL is tested. */
import { expect, onTestFinished, test } from 'vitest';
import { settingsForTest, spawnBellhop } from '../testing/bellhop.ts';
import { signedInBrowser } from '../testing/portal-browser.ts';
import { hang, startReceiver, status } from '../testing/webhook-receiver.ts';
import { describePortalSettings, NOBODY, newPerson } from './portal-person.ts';

describePortalSettings((settings) => {
  test('a process that is killed while it tests a new URL leaves the old one', async () => {
    const wanted = await settingsForTest(await settings());
    const first = await spawnBellhop(wanted);
    const person = await newPerson(first);
    const receiver = await startReceiver(hang);
    onTestFinished(() => receiver.close());
    const changing = person
      .send('PATCH', 'midoffice', { url: receiver.url })
      .catch(() => undefined);
    await receiver.came(1);
    await first.kill();
    await changing;
    const second = await spawnBellhop(wanted);
    const again = await signedInBrowser(second, 'production', person.partnerId);
    expect((await again.get('midoffice')).body).toMatchObject({
      url: NOBODY,
      url_change: { url: receiver.url, tested_at: null, failure: null },
    });
    receiver.answerAll(status(200));
    const { body } = await again.send('PATCH', 'midoffice', { url: receiver.url });
    expect(body).toMatchObject({ url: receiver.url, url_change: null });
  });
});
