/** Runs axe on a page as it is now. It does not import vitest, so any process can use it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe finds inside the elements of this selector, in words. */
export async function runAxe(page: Page, within = 'html'): Promise<string[]> {
  // Not as a script tag: the page's CSP forbids that, and should. Once a page, because it is half a megabyte.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const options = { resultTypes: ['violations'], selectors: false };
  const violations: Violation[] = await page.evaluate(
    `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)}).then((found) => found.violations)`,
  );
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.map(
      ({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`,
    );
    return `${id}: ${help}\n  ${places.join('\n  ')}`;
  });
}
