/** Runs axe on a page in both themes, at desktop and phone width. */
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE } from './browser.ts';
import { runAxe } from './run-axe.ts';

/** The dark theme has the same structure; only colours differ. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/** Waits for transitions between the themes, which start a frame late. */
const FADED = `(async () => {
  for (let frame = 0; frame < 3; frame++) {
    await new Promise(requestAnimationFrame);
    await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})));
  }
})()`;

/** What axe finds inside the elements of this selector, in words; empty if nothing is wrong. */
export async function axeFindings(page: Page, within?: string): Promise<string[]> {
  const findings: string[] = [];
  for (const [width, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(FADED);
      const rules = colorScheme === 'light' ? undefined : COLOUR_RULES;
      const found = await runAxe(page, within, rules);
      findings.push(...found.map((finding) => `${width}, ${colorScheme}: ${finding}`));
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) {
        findings.push(`${width}: wider than the window`);
      }
    }
  }
  return findings;
}
