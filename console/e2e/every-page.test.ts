/**
 * Every page, with text from outside that would like to be more than text: it is shown as text, and axe finds nothing
 * wrong. One walk for both, because opening the pages takes most of the time. every-page.long.test.ts also takes what
 * opens on them.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { GIVES_UP_AT_ONCE } from './agency.ts';
import { axeFindings } from './axe.ts';
import { describeConsole } from './browser.ts';
import { everyOverlay, everyPage, NOWHERE, type Seed } from './every-page.ts';
import { refuseCalls, seedWith } from './every-page-seed.ts';
import { lookAt, SCRIPT, SHOWING } from './only-text.ts';

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const base = '/support/v1/production';

describeConsole(
  'light on a desktop or dark on a phone, with text that is shown as text,',
  bellhop,
  (open) => {
    let seed: Seed;
    beforeAll(async () => {
      const receiver = await startReceiver(status(200), { atEnd: () => {} });
      seed = await seedWith(bellhop, receiver, SCRIPT);
      await refuseCalls(bellhop, seed.keyId);
      return () => receiver.close();
    });

    test('axe finds nothing wrong on the sign-in page', async () => {
      const { page } = await open({ to: '/', token: null });
      expect(await axeFindings(page)).toEqual([]);
    });

    test('axe finds nothing wrong on any page', async () => {
      const { page } = await open({ to: NOWHERE });
      await lookAt(page, everyPage, seed);
    });

    test('no page is left out', async () => {
      const seen = new Set(['SignIn', ...everyPage.map((view) => view.page)]);
      expect((await pages()).filter((page) => !seen.has(page))).toEqual([]);
      const names = [...everyPage, ...everyOverlay].map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(SHOWING));
    });
  },
);

test('a script is refused as a receiver URL', async () => {
  const { keyId } = await bellhop.newKey('production');
  for (const url of [
    'javascript:window.__xss=1',
    'data:text/html,<script>window.__xss=1</script>',
    'file:///etc',
  ]) {
    const fields = { name: 'x', url, signing_key_id: keyId };
    const { status: code, body } = await bellhop.support('POST', `${base}/midoffices`, fields);
    expect([url, code, body.code]).toEqual([url, 422, 'receiver_refused']);
  }
});

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
