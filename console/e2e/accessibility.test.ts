import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/shared-bellhop.ts';
import {
  startReceiver,
  status,
  type WebhookReceiver,
} from '../../server/testing/webhook-receiver.ts';
import { axeFindings } from './axe.ts';
import { describeInChromium } from './browser.ts';
import { allAre, IMPATIENT, newAgency, report } from './desk.ts';
import { everyOverlay, everyPage, type Seed } from './every-page.ts';

const bellhop = sharedBellhop(() => IMPATIENT);

describeInChromium(
  'axe finds nothing, light or dark, wide or narrow, on',
  () => bellhop.addresses.backOffice,
  (open) => {
    let receiver: WebhookReceiver;
    let seed: Seed;
    beforeAll(async () => {
      receiver = await startReceiver(status(200), { atEnd: () => {} });
      const agency = await newAgency(bellhop.support, receiver.url, { partner: 'Fernweh Reisen' });
      const [deliveredId = ''] = await report(bellhop.support, agency, ['OK-1', 'OK-2']);
      await allAre(bellhop.support, 'delivered', agency);
      receiver.answer = status(500, '{"error":"database is down"}');
      const [exhaustedId = ''] = await report(bellhop.support, agency, ['BAD-1', 'BAD-2']);
      await receiver.came(6);
      seed = { ...agency, deliveredId, exhaustedId };
    });
    afterAll(() => receiver?.close());

    test('the sign-in page', async () => {
      const { page, go } = await open({ token: null });
      await go('/');
      expect(await axeFindings(page)).toEqual([]);
    });

    // The page below a dialog is judged by itself already, and takes most of the time.
    test.for(everyOverlay.filter(({ isPopup }) => !isPopup))('$name', async (view) => {
      const { page, go } = await open();
      await go(view.path(seed));
      await view.open?.(page);
      expect(await axeFindings(page, '[role=dialog], .search')).toEqual([]);
    });

    test.for(everyPage)('$name', async (view) => {
      const { page, go } = await open();
      await go(view.path(seed));
      await view.open?.(page);
      expect(await axeFindings(page)).toEqual([]);
    });

    test('no page less than there are', async () => {
      const files = await readdir(join(import.meta.dirname, '..', 'src', 'pages'));
      const seen = new Set(['SignIn', ...everyPage.map((view) => view.page)]);
      expect(files.filter((file) => !seen.has(file.replace('.tsx', '')))).toEqual([]);
    });
  },
);
