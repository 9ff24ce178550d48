/** The pairs of theme and width in which `every-page.test.ts` does not look at each page. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { GIVES_UP_AT_ONCE } from './agency.ts';
import { axeFindings, OTHER_LOOKS } from './axe.ts';
import { DESKTOP, describeConsole } from './browser.ts';
import { everyOverlay, everyPage, within } from './every-page.ts';
import { refuseCalls, seedWith } from './every-page-seed.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeConsole('dark on a desktop and light on a phone,', bellhop, (open) => {
  test('axe finds nothing wrong on any page or overlay', async () => {
    const receiver = await startReceiver(status(200));
    const seed = await seedWith(bellhop, receiver, 'Solstice & Sons');
    await refuseCalls(bellhop, seed.keyId);
    const { page, go } = await open();
    for (const view of [...everyPage, ...everyOverlay]) {
      await page.setViewportSize(DESKTOP);
      await go(view.path(seed));
      await view.open?.(page);
      const findings = await axeFindings(page, { within: within(view), looks: OTHER_LOOKS });
      expect([view.name, findings]).toEqual([view.name, []]);
    }
  });
});
