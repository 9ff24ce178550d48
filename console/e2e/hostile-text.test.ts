/** Text from outside is always shown as text. */
import { expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { startReceiver, status } from '../../server/testing/webhook-receiver.ts';
import { allAre, GIVES_UP_AT_ONCE, newAgency, newToken, report } from './agency.ts';
import { describeInChromium } from './browser.ts';
import { everyOverlay, everyPage, type Seed } from './every-page.ts';

const SCRIPT = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>';
const TEMPLATE = '{{constructor.constructor("window.__xss=1")()}}';
const ADDRESS = 'javascript:window.__xss=1';

/** The views that show at least one seeded field. */
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

async function seedWith(hostile: string, url: string): Promise<Seed> {
  const { support } = bellhop;
  const agency = await newAgency(support, url, { partner: hostile, midoffice: hostile });
  await newToken(support, 'support', hostile);
  const calls: [method: string, path: string, body: object][] = [
    ['PATCH', `${base}/keys/${agency.keyId}`, { label: hostile }],
    ['POST', `${base}/partners/${agency.partnerId}/certification`, { reference: hostile }],
    [
      'PUT',
      `${base}/keys/${agency.keyId}/endpoints`,
      {
        endpoint: 'api/b2b/v3/search/hp/',
        requests_number: 99,
        approval_reference: hostile,
      },
    ],
  ];
  for (const [method, path, body] of calls) {
    expect([path, (await support(method, path, body)).status]).toEqual([path, 200]);
  }
  for (const record of [
    `partners/${agency.partnerId}`,
    `keys/${agency.keyId}`,
    `midoffices/${agency.midofficeId}`,
  ]) {
    const note = await support('POST', `${base}/${record}/notes`, { text: hostile });
    expect([record, note.status]).toEqual([record, 201]);
  }
  const more = { agreement_number: hostile, status: hostile, event_id: hostile };
  const [id = ''] = await report(support, agency, [hostile], more);
  await allAre(support, 'exhausted', agency);
  return { ...agency, exhaustedId: id, deliveredId: id };
}

describeInChromium(
  'hostile text',
  () => bellhop.addresses.backOffice,
  (open) => {
    test('is shown as text on every page and does not run', async () => {
      const texts = [ADDRESS, TEMPLATE, SCRIPT];
      const seeds = new Map<string, Seed>();
      for (const text of texts) {
        const headers = { 'content-type': 'text/html', server: text };
        const receiver = await startReceiver(status(500, text, headers));
        seeds.set(text, await seedWith(text, receiver.url));
      }
      const { page, go } = await open();

      async function look(where: string): Promise<string> {
        const { acted, links, images, text } = await page.evaluate<Found>(LOOK);
        expect([where, acted, links, images]).toEqual([where, 'undefined', [], 0]);
        return text;
      }

      const shown: string[] = [];
      for (const view of [...everyPage, ...everyOverlay]) {
        await go(view.path(seeds.get(SCRIPT) as Seed));
        await view.open?.(page);
        if ((await look(view.name)).includes(SCRIPT)) shown.push(view.name);
      }
      // Otherwise the test would prove nothing.
      expect(shown).toEqual(expect.arrayContaining(SHOWING));

      for (const [text, seed] of seeds) {
        for (const view of everyPage.filter(({ page }) => DETAILS.includes(page))) {
          await go(view.path(seed));
          expect(await look(`${view.name} of ${text}`)).toContain(text);
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
        await look(`the search for ${text}`);
      }
    });

    test('refuses a script as a receiver URL', async () => {
      const { keyId } = await bellhop.newKey('production');
      for (const url of [
        ADDRESS,
        'data:text/html,<script>window.__xss=1</script>',
        'file:///etc',
      ]) {
        const fields = { name: 'x', url, signing_key_id: keyId };
        const { status: code, body } = await bellhop.support('POST', `${base}/midoffices`, fields);
        expect([url, code, body.code]).toEqual([url, 422, 'receiver_refused']);
      }
    });
  },
);

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
