/**
 * Every page and overlay, with text from outside that would like to be more than text: it is shown as text, and axe
 * finds nothing wrong. One walk for both, because opening the pages takes most of the time.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import {
  startReceiver,
  status,
  type WebhookReceiver,
} from '../../server/testing/webhook-receiver.ts';
import { GIVES_UP_AT_ONCE } from './agency.ts';
import { axeFindings, oneLook } from './axe.ts';
import { describeConsole } from './browser.ts';
import { everyOverlay, everyPage, type Seed, type View, within } from './every-page.ts';
import { refuseCalls, seedWith } from './every-page-seed.ts';

const SCRIPT = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>';
const TEMPLATE = '{{constructor.constructor("window.__xss=1")()}}';
const ADDRESS = 'javascript:window.__xss=1';

/** The views that show at least one seeded field. Without them, the tests would prove nothing. */
const SHOWING = [
  'the overview',
  'deliveries',
  'an exhausted delivery',
  'partners',
  'a partner',
  'keys',
  'a key',
  'midoffices',
  'a midoffice',
  'the audit',
  'tokens',
  'a picker',
  'a new key',
  "a midoffice's fields",
  'sending again',
];
const DETAILS = ['Partner', 'Key', 'Midoffice'];

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);
const base = '/support/v1/production';

describeConsole(
  'light on a desktop or dark on a phone, with text that is shown as text,',
  bellhop,
  (open) => {
    const seeds = new Map<string, Seed>();
    let receiver: WebhookReceiver;
    beforeAll(async () => {
      receiver = await startReceiver(status(200), { atEnd: () => {} });
      for (const text of [ADDRESS, TEMPLATE, SCRIPT]) {
        seeds.set(text, await seedWith(bellhop, receiver, text));
      }
      await refuseCalls(bellhop, seeds.get(SCRIPT)?.keyId ?? '');
    });
    afterAll(() => receiver?.close());

    const everyView = [...everyPage, ...everyOverlay];

    async function lookAt(view: View): Promise<void> {
      const { page } = await open({ to: view.path(seeds.get(SCRIPT) as Seed) });
      await view.open?.(page);
      const text = await onlyText(page, view.name);
      if (SHOWING.includes(view.name)) expect(text).toContain(SCRIPT);
      const looks = oneLook(everyView.indexOf(view));
      expect(await axeFindings(page, { within: within(view), looks })).toEqual([]);
    }

    test('axe finds nothing wrong on the sign-in page', async () => {
      const { page } = await open({ to: '/', token: null });
      expect(await axeFindings(page)).toEqual([]);
    });

    test.for(everyPage)('axe finds nothing wrong on $name', (view) => lookAt(view));

    test('no page is left out', async () => {
      const seen = new Set(['SignIn', ...everyPage.map((view) => view.page)]);
      expect((await pages()).filter((page) => !seen.has(page))).toEqual([]);
      const names = everyView.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(SHOWING));
    });

    test.for(everyOverlay)('axe finds nothing wrong on $name', (view) => lookAt(view));

    test('axe finds nothing wrong on the button of a dangerous action under the pointer', async () => {
      const { page } = await open({
        to: `/production/midoffices/${seeds.get(SCRIPT)?.midofficeId}`,
      });
      await page.getByRole('button', { name: 'Pause' }).click();
      const pointed = page.getByRole('dialog').getByRole('button', { name: 'Pause' });
      expect(await axeFindings(page, { within: '[role=dialog]', pointed })).toEqual([]);
    });

    test.for([ADDRESS, TEMPLATE, SCRIPT])(
      '%s is text in every field and does not run',
      async (text) => {
        const { page, go } = await open();
        const seed = seeds.get(text) as Seed;
        for (const view of everyPage.filter(({ page }) => DETAILS.includes(page))) {
          await go(view.path(seed));
          expect(await onlyText(page, view.name)).toContain(text);
        }
        await go(`/production/deliveries/${seed.exhaustedId}`);
        await expect.poll(() => page.title()).toContain(text);
        for (const name of ['Order', 'Agreement', 'Status', 'Event id']) {
          const fact = page.locator('dl > div', { has: page.getByText(name, { exact: true }) });
          await expect.poll(() => fact.locator('dd').textContent()).toBe(text);
        }
        await expect.poll(() => page.getByLabel('Reply').first().textContent()).toContain(text);
        await page.getByRole('combobox', { name: 'Search production' }).fill(text);
        await page.getByRole('option').first().waitFor();
        await onlyText(page, 'the search');
      },
    );
  },
);

test('a script is refused as a receiver URL', async () => {
  const { keyId } = await bellhop.newKey('production');
  for (const url of [ADDRESS, 'data:text/html,<script>window.__xss=1</script>', 'file:///etc']) {
    const fields = { name: 'x', url, signing_key_id: keyId };
    const { status: code, body } = await bellhop.support('POST', `${base}/midoffices`, fields);
    expect([url, code, body.code]).toEqual([url, 422, 'receiver_refused']);
  }
});

/** Expects that nothing on the page is more than text; returns the text. */
async function onlyText(page: Page, where: string): Promise<string> {
  const { acted, links, images, text } = await page.evaluate<Found>(LOOK);
  expect([where, acted, links, images]).toEqual([where, 'undefined', [], 0]);
  return text;
}

interface Found {
  acted: string;
  links: string[];
  images: number;
  text: string;
}

const LOOK = `({
  acted: typeof window.__xss,
  links: [...document.querySelectorAll('[href^="javascript:" i], [src^="javascript:" i]')].map((one) => one.outerHTML),
  images: document.querySelectorAll('img, #app script, iframe, object').length,
  text: document.body.textContent + [...document.querySelectorAll('input')].map((one) => one.value).join(' '),
})`;

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
