import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { GIVES_UP_AT_ONCE } from './agency.ts';
import { axeFindings } from './axe.ts';
import { describeInChromium } from './browser.ts';
import { everyPage } from './every-page.ts';
import { seeded } from './seed.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeInChromium(
  'axe finds nothing wrong in both themes at both widths on',
  () => bellhop.addresses.backOffice,
  (open, reopen) => {
    const seed = seeded(bellhop);

    test('the sign-in page', async () => {
      const { page, go } = await open({ token: null });
      await go('/');
      expect(await axeFindings(page)).toEqual([]);
    });

    test.for(everyPage)('$name', async (view) => {
      const { page, go } = await reopen();
      await go(view.path(seed()));
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
