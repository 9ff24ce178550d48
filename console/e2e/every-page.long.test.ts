/** Each page and overlay in both themes at both widths; `every-page.test.ts` takes one of them for each page. */
import { beforeAll, expect, test } from 'vitest';
import { sharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import {
  startReceiver,
  status,
  type WebhookReceiver,
} from '../../server/testing/webhook-receiver.ts';
import { GIVES_UP_AT_ONCE } from './agency.ts';
import { axeFindings, EVERY_LOOK } from './axe.ts';
import { describeConsole } from './browser.ts';
import { everyOverlay, everyPage, NOWHERE, type Seed, walkTo } from './every-page.ts';
import { refuseCalls, seedWith } from './every-page-seed.ts';
import { lookAt, onlyText, SCRIPT } from './only-text.ts';

const TEMPLATE = '{{constructor.constructor("window.__xss=1")()}}';
const ADDRESS = 'javascript:window.__xss=1';

const DETAILS = ['Partner', 'Key', 'Midoffice'];

const bellhop = sharedBellhop(() => GIVES_UP_AT_ONCE);

describeConsole('in both themes at both widths,', bellhop, (open) => {
  let receiver: WebhookReceiver;
  let seed: Seed;
  beforeAll(async () => {
    receiver = await startReceiver(status(200), { atEnd: () => {} });
    seed = await seedWith(bellhop, receiver, SCRIPT);
    await refuseCalls(bellhop, seed.keyId);
    return () => receiver.close();
  });

  test('axe finds nothing wrong on any page or overlay, and text is shown as text', async () => {
    const { page } = await open({ to: NOWHERE });
    await lookAt(page, [...everyPage, ...everyOverlay], seed, () => EVERY_LOOK);
  });

  test('axe finds nothing wrong on the button of a dangerous action under the pointer', async () => {
    const { page } = await open({ to: `/production/midoffices/${seed.midofficeId}` });
    await page.getByRole('button', { name: 'Pause' }).click();
    const pointed = page.getByRole('dialog').getByRole('button', { name: 'Pause' });
    expect(await axeFindings(page, { within: '[role=dialog]', pointed })).toEqual([]);
  });

  test.for([ADDRESS, TEMPLATE, SCRIPT])(
    '%s is text in every field and does not run',
    async (text) => {
      const { page } = await open({ to: NOWHERE });
      const its = text === SCRIPT ? seed : await seedWith(bellhop, receiver, text);
      for (const view of everyPage.filter(({ page }) => DETAILS.includes(page))) {
        await walkTo(page, view.path(its));
        expect(await onlyText(page, view.name)).toContain(text);
      }
      await walkTo(page, `/production/deliveries/${its.exhaustedId}`);
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
});
