/** What holds for every hand-written source of the repository, whatever part it belongs to. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('..', import.meta.url);
const TESTS = ['*.test.*', '*/e2e/*', 'server/fuzz', 'server/testing', 'test'];

/** Every line that matches, with its file and number. */
function linesWith(pattern: string, but: readonly string[]) {
  const paths = ['*.ts', '*.tsx', '*.js', ':!*.gen.ts', ...but.map((path) => `:!${path}`)];
  const args = ['grep', '--untracked', '-nE', '-e', pattern, '--', ...paths];
  const found = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  return found.map((line) => {
    const [, file = '', number, text = ''] = /^([^:]+):(\d+):(.*)$/.exec(line) ?? [];
    return { file, number: Number(number), text };
  });
}

// Such a cast is checked by nobody. A lower number belongs here.
const MOST_UNCHECKED_CASTS = 15;

test('casts that the compiler cannot check are few, and a comment says why', () => {
  const casts = linesWith('as (never|unknown as )', TESTS).filter(
    // "that was never" and the like, in prose.
    ({ text }) => /\bas (never\b|unknown as )/.test(text),
  );
  expect(casts.length).toBeLessThanOrEqual(MOST_UNCHECKED_CASTS);
  const unexplained = casts.filter(({ file, number }) => {
    const lines = readFileSync(new URL(file, root), 'utf8').split('\n');
    return !lines.slice(number - 4, number - 1).some((line) => /\/\/ |\*\/$/.test(line));
  });
  expect(unexplained).toEqual([]);
});

test('every page of the documentation that a source names exists', () => {
  // Addresses of the built documentation begin with a slash.
  const cited = linesWith('docs/[a-z/-]+\\.md', []).flatMap(({ file, text }) =>
    [...text.matchAll(/(?<!["'`]\/)\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => ({ file, page })),
  );
  expect(cited.length).toBeGreaterThan(50);
  expect(cited.filter(({ page }) => !existsSync(new URL(page, root)))).toEqual([]);
});
