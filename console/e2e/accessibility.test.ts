import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/shared-bellhop.ts';
import {
  startReceiver,
  status,
  type WebhookReceiver,
} from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, report } from './agency.ts';
import { axeFindings } from './axe.ts';
import { describeInChromium } from './browser.ts';
import { everyOverlay, everyPage, type Seed } from './every-page.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeInChromium(
  'axe finds nothing wrong in both themes at both widths on',
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

    // Only the overlay: the page below it is checked on its own, and takes most of the time.
    test.for(everyOverlay)('$name', async (view) => {
      const { page, go } = await open();
      await go(view.path(seed));
      await view.open?.(page);
      const within = view.isPopup ? '[role=menu], [role=listbox]' : '[role=dialog], header search';
      expect(await axeFindings(page, within)).toEqual([]);
    });

    test.for(everyPage)('$name', async (view) => {
      const { page, go } = await open();
      await go(view.path(seed));
      await view.open?.(page);
      expect(await axeFindings(page)).toEqual([]);
    });

    test('no page is left out', async () => {
      const seen = new Set(['SignIn', ...everyPage.map((view) => view.page)]);
      expect((await pages()).filter((page) => !seen.has(page))).toEqual([]);
    });
  },
);

/** The files in console/src/pages that are a page; the others are parts of one. */
async function pages(): Promise<string[]> {
  const folder = join(import.meta.dirname, '..', 'src', 'pages');
  const files = await readdir(folder, { recursive: true });
  const components = files.filter((file) => file.endsWith('.tsx'));
  const isPage = await Promise.all(
    components.map(async (file) =>
      (await readFile(join(folder, file), 'utf8')).includes('export default function'),
    ),
  );
  return components.filter((_, at) => isPage[at]).map((file) => basename(file, '.tsx'));
}
