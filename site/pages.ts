/**
 * Which Markdown files of the repository are pages, in which site, and at which path. There are two sites: `all`, on the
 * back office's listener, and `partners`, with only what a partner can use.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export const repository = join(import.meta.dirname, '..');

export const sites = ['all', 'partners'] as const;
export type Site = (typeof sites)[number];

/** The page that each site opens with. */
const HOMES: Record<Site, string> = {
  all: 'docs/README.md',
  partners: 'docs/partner-guide/README.md',
};

const BESIDE_DOCS = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'deploy/README.md',
  'partner/README.md',
  'partner/examples/README.md',
];

const FOR_PARTNERS = /^(?:docs\/partner-guide\/|docs\/check-receiver\.md$|partner\/)/;

/** Describes the files beside it, for those who edit them. */
const NOT_PAGES = /\/snippets\//;

/** By the path of the source, as `docs/limits.md`; the value is the path on the site, as `limits.md`. */
export type Pages = ReadonlyMap<string, string>;

export function pagesOf(site: Site): Pages {
  const sources = [
    ...globSync('docs/**/*.md', { cwd: repository }).map((file) => file.replaceAll('\\', '/')),
    ...BESIDE_DOCS,
  ];
  const shown = sources.filter(
    (source) => !NOT_PAGES.test(source) && (site === 'all' || FOR_PARTNERS.test(source)),
  );
  return new Map(shown.sort().map((source) => [source, pathOf(source, site)]));
}

function pathOf(source: string, site: Site): string {
  if (source === HOMES[site]) return 'index.md';
  return source
    .toLowerCase()
    .replace(/^docs\//, '')
    .replace(/(^|\/)readme\.md$/, '$1index.md');
}

/** The repository's path that a link of a page leads to; undefined if it leads elsewhere or stays on the page. */
export function targetOf(
  source: string,
  href: string,
): { file: string; anchor: string } | undefined {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(href)) return undefined;
  const [path = '', anchor = ''] = href.split(/(?=#)/);
  const file = posix.normalize(posix.join(posix.dirname(source), decodeURI(path)));
  return { file: file.replace(/\/$/, '/README.md'), anchor };
}

export interface MenuGroup {
  text: string;
  items: { text: string; link: string }[];
}

/** The list of all pages: a table for each kind of reader. It is the menu as well. */
const CONTENTS = 'docs/README.md';

export function menuOf(site: Site): MenuGroup[] {
  const pages = pagesOf(site);
  const [, ...parts] = readPage(CONTENTS).split(/^## /m);
  const seen = new Set<string>([HOMES[site]]);
  const groups = parts.map((part) => {
    const links = [...part.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href);
    const items = links.flatMap((href) => {
      const file = targetOf(CONTENTS, href)?.file ?? '';
      const path = pages.get(file);
      if (path === undefined || seen.has(file)) return [];
      seen.add(file);
      return [{ text: titleOf(file), link: linkTo(path) }];
    });
    return { text: part.split('\n', 1)[0] ?? '', items };
  });
  return groups.filter(({ items }) => items.length > 0);
}

export function linkTo(path: string, anchor = ''): string {
  return `/${path.replace(/(?:^|(?<=\/))index\.md$/, '').replace(/\.md$/, '')}${anchor}`;
}

/** GitHub's, so that a link with a fragment works in both places. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

export function titleOf(source: string): string {
  return /^# (.+)$/m.exec(readPage(source))?.[1]?.replaceAll('`', '') ?? source;
}

export function readPage(source: string): string {
  return readFileSync(join(repository, source), 'utf8');
}
