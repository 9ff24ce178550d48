import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { GIVES_UP_AT_ONCE } from './agency.ts';
import { axeFindings } from './axe.ts';
import { describeInChromium } from './browser.ts';
import { everyOverlay } from './every-page.ts';
import { seeded } from './seed.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeInChromium(
  'axe finds nothing wrong in both themes at both widths on',
  () => bellhop.addresses.backOffice,
  (_open, reopen) => {
    const seed = seeded(bellhop);

    // Only the overlay: the page below it is checked on its own, and takes most of the time.
    test.for(everyOverlay)('$name', async (view) => {
      const { page, go } = await reopen();
      await go(view.path(seed()));
      await view.open?.(page);
      const within = view.isPopup ? '[role=menu], [role=listbox]' : '[role=dialog], header search';
      expect(await axeFindings(page, { within })).toEqual([]);
    });

    test('the button of a dangerous action under the pointer', async () => {
      const { page, go } = await reopen();
      await go(`/production/midoffices/${seed().midofficeId}`);
      await page.getByRole('button', { name: 'Pause' }).click();
      const pointed = page.getByRole('dialog').getByRole('button', { name: 'Pause' });
      expect(await axeFindings(page, { within: '[role=dialog]', pointed })).toEqual([]);
    });
  },
);
