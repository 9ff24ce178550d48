/** Runs axe on a page in both themes, at desktop and phone width. */
import type { Locator, Page } from 'playwright-core';
import { DESKTOP, PHONE } from './browser.ts';
import { runAxe } from './run-axe.ts';

/** The dark theme has the same structure; only colours differ. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
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
}

/** What axe finds, in words; empty if nothing is wrong. */
export async function axeFindings(
  page: Page,
  { within, once = false, pointed }: AxeOptions = {},
): Promise<string[]> {
  const findings: string[] = [];
  await page.evaluate(NO_TRANSITIONS);
  for (const [width, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(FADED);
      await pointed?.hover();
      if (!once || (width === 'desktop' && colorScheme === 'light')) {
        const rules = colorScheme === 'light' ? undefined : COLOUR_RULES;
        const found = await runAxe(page, within, rules);
        findings.push(...found.map((finding) => `${width}, ${colorScheme}: ${finding}`));
      }
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) {
        findings.push(`${width}: wider than the window`);
      }
    }
  }
  return findings;
}
