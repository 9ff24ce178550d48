/** Runs axe on a page as it is now: light and dark, at desktop and phone width. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE } from './browser.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The dark theme has the same structure; only colours differ. */
const EVERYTHING = '{ resultTypes: ["violations"] }';
const COLOURS =
  '{ resultTypes: ["violations"], runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }';
/** Waits for transitions between the themes, which start a frame late. */
const FADED = `(async () => {
  for (let frame = 0; frame < 3; frame++) {
    await new Promise(requestAnimationFrame);
    await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})));
  }
})()`;

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe finds inside the elements of this selector, in words; empty if nothing is wrong. */
export async function axeFindings(page: Page, within = 'html'): Promise<string[]> {
  // Not as a script tag: the page's CSP forbids that, and should.
  await page.evaluate(source);
  const findings: string[] = [];
  for (const [width, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(FADED);
      const options = colorScheme === 'light' ? EVERYTHING : COLOURS;
      const violations: Violation[] = await page.evaluate(
        `axe.run(${JSON.stringify(within)}, ${options}).then((found) => found.violations)`,
      );
      for (const { id, help, nodes } of violations) {
        const at = nodes
          .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`)
          .join('\n  ');
        findings.push(`${width}, ${colorScheme}: ${id}: ${help}\n  ${at}`);
      }
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) {
        findings.push(`${width}: wider than the window`);
      }
    }
  }
  return findings;
}
