/** Every text that a partner may see is in a file of words, also those of the parts that the portal shares. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf } from '../../../server/testing/imports.ts';
import { shownTexts } from '../../../test/shown-texts.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');
const WORDS = /^(console|portal)\/src\/words\//;

/** Nobody translates these. */
const notTranslated: Record<string, readonly string[]> = {
  'console/src/ui/lists/saved-views.ts': ['views …'], // a key of the browser's storage
  'console/src/ui/page/TopBar.tsx': ['Bellhop'],
  'console/src/ui/page/site.ts': ['Bellhop'],
  'portal/src/pages/receiver/Snippets.tsx': ['TypeScript'],
};

/** Files without texts of the portal, and what they have instead. */
const others: Record<string, string> = {
  'console/src/shell/palette/page-actions.ts': 'selectors',
  'console/src/shell/shortcuts.ts': 'selectors, and names that are printed on keys',
  'console/src/ui/lists/rows.ts': 'selectors',
  'console/src/ui/text/curl.ts': 'commands for a shell',
  'partner/src/body.ts': 'errors of a parser, of which the portal only uses the other direction',
};

/** The code that the portal loads, at once or later. */
function portalSources(): Map<string, string> {
  const sources = new Map<string, string>();
  function follow(file: string): void {
    if (sources.has(file) || !/\.tsx?$/.test(file)) return;
    const source = readFileSync(join(REPOSITORY, file), 'utf8');
    sources.set(file, source);
    for (const { of, kind } of importsOf(file, source)) {
      const isOurs = /^(console|partner|portal|rules)\//.test(of);
      if (isOurs && kind !== 'type') follow(of);
    }
  }
  follow('portal/src/main.tsx');
  return sources;
}

test('every text of the portal is in a file of words', () => {
  const sources = [...portalSources()].filter(([file]) => !WORDS.test(file));
  const names = sources.map(([file]) => file);
  expect(names).toEqual(
    expect.arrayContaining([
      'console/src/widgets/usage/UsageCharts.tsx',
      'portal/src/pages/home/Home.tsx',
    ]),
  );
  const found = sources.flatMap(([file, source]) =>
    shownTexts(file, source).map(({ line, text }) => ({ file, line, text })),
  );
  const exceptions = [...Object.keys(notTranslated), ...Object.keys(others)];
  expect(
    exceptions.filter((file) => !found.some((one) => one.file === file)),
    'are no exceptions any more',
  ).toEqual([]);
  const elsewhere = found.filter(
    ({ file, text }) => !(file in others || notTranslated[file]?.includes(text)),
  );
  expect(elsewhere.map(({ file, line, text }) => `${file}:${line}: ${text}`)).toEqual([]);
});

test.for([
  ['<p>Saved</p>', 'Saved'],
  ['<p>{isOn ? "on" : words.off}</p>', 'on'],
  ['<p>{count} calls</p>', 'calls'],
  ['<Field label="limit" />', 'limit'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code.
  ['<Note text={`${count} calls`} />', '… calls'],
  ['columns([{ head: "state" }])', 'state'],
  ['announce("Saved.")', 'Saved.'],
  ['announce(count + " calls waiting")', 'calls waiting'],
  ['throw new Problem(0, "unreachable", "No server answers.")', 'No server answers.'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code.
  ['const verdict = `Key “${label}” expired`', 'Key “…” expired'],
])('%s has a text', ([code = '', text]) => {
  expect(shownTexts('page.tsx', code).map((one) => one.text)).toEqual([text]);
});

test.for([
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code.
  '<Note kind="warn" className={`${styles.note} ${styles.wide}`}>{words.saved}</Note>',
  '<path d="M 3 14 v 2" />',
  '<p>{state === "in flight" && words.now}</p>',
  'popup.querySelector("form input")',
  'throw new Error("Only for programmers.")',
  'type Kind = "Two words"; const kind = "plain" as Kind;',
  'call("retryDelivery", { id, "content-type": "application/json" })',
])('%s has none', (code) => {
  expect(shownTexts('page.tsx', code)).toEqual([]);
});
