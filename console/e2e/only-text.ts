/** Looks at views that show text from outside: it is shown as text, and axe finds nothing wrong. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeFindings, oneLook } from './axe.ts';
import { DESKTOP } from './browser.ts';
import { type Seed, type View, walkTo, within } from './every-page.ts';

export const SCRIPT = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>';

/** The views that show at least one seeded field. Without them, the tests would prove nothing. */
export const SHOWING = [
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

/** On one page, as a person walks: loading it again for each view takes most of the time. The seed has the script. */
export async function lookAt(
  page: Page,
  views: readonly View[],
  seed: Seed,
  looksAt = oneLook,
): Promise<void> {
  for (const [at, view] of views.entries()) {
    await page.setViewportSize(DESKTOP);
    await walkTo(page, view.path(seed));
    await view.open?.(page);
    const text = await onlyText(page, view.name);
    if (SHOWING.includes(view.name)) expect(text).toContain(SCRIPT);
    const findings = await axeFindings(page, { within: within(view), looks: looksAt(at) });
    expect([view.name, findings]).toEqual([view.name, []]);
  }
}

/** Expects that nothing on the page is more than text; returns the text. */
export async function onlyText(page: Page, where: string): Promise<string> {
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
