/** Runs axe on a page, in both themes and at desktop and phone width. */
import type { Locator, Page } from 'playwright-core';
import { DESKTOP, PHONE } from './browser.ts';
import { runAxe } from './run-axe.ts';

interface Look {
  width: 'desktop' | 'phone';
  colorScheme: 'light' | 'dark';
}

const DESKTOP_LIGHT: Look = { width: 'desktop', colorScheme: 'light' };
const PHONE_DARK: Look = { width: 'phone', colorScheme: 'dark' };
/** Each width and each theme once. */
const LOOKS = [DESKTOP_LIGHT, PHONE_DARK];
/** In turns, where many pages have the same parts: `every-page.long.test.ts` takes every look at each of them. */
export const oneLook = (at: number): readonly Look[] => [at % 2 === 0 ? DESKTOP_LIGHT : PHONE_DARK];
export const EVERY_LOOK: readonly Look[] = [
  ...LOOKS,
  { width: 'desktop', colorScheme: 'dark' },
  { width: 'phone', colorScheme: 'light' },
];
/** Colours change at once: on a busy machine, axe met some in the middle of their transition. */
const NO_TRANSITIONS = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important }');
  document.adoptedStyleSheets.push(sheet);
}`;
/** Waits for what animates all the same, such as an opening dialog. */
const FADED = `(async () => {
  for (let frame = 0; frame < 3; frame++) {
    await new Promise(requestAnimationFrame);
    await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})));
  }
})()`;

interface AxeOptions {
  /** A selector: only what is inside these elements. */
  within?: string;
  /** One look with all rules, for a page of the same parts as another one, but so long that each look takes seconds. */
  once?: boolean;
  /** What the pointer is on. */
  pointed?: Locator;
  looks?: readonly Look[];
}

/** What axe finds, in words; empty if nothing is wrong. */
export async function axeFindings(
  page: Page,
  { within, once = false, pointed, looks = LOOKS }: AxeOptions = {},
): Promise<string[]> {
  const findings: string[] = [];
  await page.evaluate(NO_TRANSITIONS);
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize(width === 'desktop' ? DESKTOP : PHONE);
    await page.emulateMedia({ colorScheme });
    await page.evaluate(FADED);
    await pointed?.hover();
    if (!once || width === 'desktop') {
      const found = await runAxe(page, within);
      findings.push(...found.map((finding) => `${width}, ${colorScheme}: ${finding}`));
    }
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) {
      findings.push(`${width}: wider than the window`);
    }
  }
  return findings;
}
