/** Each page and overlay in both themes at both widths, of which `every-page.test.ts` takes one. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { GIVES_UP_AT_ONCE } from './agency.ts';
import { axeFindings, EVERY_LOOK } from './axe.ts';
import { DESKTOP, describeConsole } from './browser.ts';
import { everyOverlay, everyPage, within } from './every-page.ts';
import { refuseCalls, seedWith } from './every-page-seed.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeConsole('in both themes at both widths,', bellhop, (open) => {
  test('axe finds nothing wrong on any page or overlay', async () => {
    const receiver = await startReceiver(status(200));
    const seed = await seedWith(bellhop, receiver, 'Solstice & Sons');
    await refuseCalls(bellhop, seed.keyId);
    const { page, go } = await open();
    for (const view of [...everyPage, ...everyOverlay]) {
      await page.setViewportSize(DESKTOP);
      await go(view.path(seed));
      await view.open?.(page);
      const findings = await axeFindings(page, { within: within(view), looks: EVERY_LOOK });
      expect([view.name, findings]).toEqual([view.name, []]);
    }
  });
});
