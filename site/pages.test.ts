/** The links of the documentation, as they are in the repository. built-sites.test.ts checks them on the sites. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { menuOf, pagesOf, repository, sites, slugOf, targetOf } from './pages.ts';

const pages = pagesOf('all');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');

/** Without what is in code, which is not a link. */
function proseOf(file: string): string {
  return read(file)
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, 'code');
}

function headingsOf(file: string): Set<string> {
  const text = read(file).replace(/^```[\s\S]*?^```/gm, '');
  const slugs = new Set<string>();
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const repeated = [...slugs].filter((one) => one === slug || one.startsWith(`${slug}-`)).length;
    slugs.add(slugs.has(slug) ? `${slug}-${repeated}` : slug);
  }
  return slugs;
}

test.each([...pages.keys()])('every link of %s leads somewhere', (page) => {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href);
  const dead = links.filter((href) => {
    if (href.startsWith('#')) return !headingsOf(page).has(href.slice(1));
    const target = targetOf(page, href);
    if (!target) return false;
    if (!existsSync(join(repository, target.file)))
      return !existsSync(join(repository, page, '..', href));
    return (
      target.anchor !== '' &&
      target.file.endsWith('.md') &&
      !headingsOf(target.file).has(decodeURIComponent(target.anchor.slice(1)))
    );
  });
  expect(dead).toEqual([]);
});

describe.each(sites)('the menu of the site for %s', (site) => {
  test('has every page once, and only pages', () => {
    const links = menuOf(site).flatMap(({ items }) => items.map(({ link }) => link));
    expect(new Set(links).size).toBe(links.length);
    expect(links.length).toBeGreaterThan(site === 'all' ? 30 : 6);
  });
});

test.each([
  ['The whole schedule', 'the-whole-schedule'],
  ['`bellhop listen`, and why', 'bellhop-listen-and-why'],
  ['10⁹ calls – a day', '10⁹-calls--a-day'],
])('the heading %s has the same anchor as on GitHub: %s', (heading, slug) => {
  expect(slugOf(heading)).toBe(slug);
});
