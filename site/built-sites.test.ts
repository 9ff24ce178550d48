/** Both sites as they were built: complete, without dead links, and nothing that a strict policy would refuse. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { DocsPage } from '@bellhop/rules/docs-page';
import MiniSearch from 'minisearch';
import { describe, expect, test } from 'vitest';
import { pagesOf, type Site, sites } from './pages.ts';

const dist = join(import.meta.dirname, 'dist');
const ENTITIES: Record<string, string> = { amp: '&', quot: '"', '#39': "'", lt: '<', gt: '>' };

function filesOf(site: Site, pattern: string): Map<string, string> {
  const names = globSync(pattern, { cwd: join(dist, site) });
  return new Map(names.map((name) => [name, readFileSync(join(dist, site, name), 'utf8')]));
}

function attributes(html: string, name: 'href' | 'src'): string[] {
  const pattern = name === 'href' ? / href="([^"]*)"/g : / src="([^"]*)"/g;
  return [...html.matchAll(pattern)].map(([, value = '']) =>
    value.replace(/&([#\w]+);/g, (whole, entity) => ENTITIES[entity] ?? whole),
  );
}

/** The file that the server sends for an address below /docs (office/docs-files.ts). */
function fileAt(site: Site, path: string): string | undefined {
  const name = path.slice('/docs/'.length);
  const names = name === '' || name.endsWith('/') ? [`${name}index.html`] : [name, `${name}.html`];
  const isFile = (one: string) =>
    statSync(join(dist, site, one), { throwIfNoEntry: false })?.isFile();
  return names.find(isFile);
}

describe.each(sites)('the site for %s', (site) => {
  test('has every page', () => {
    for (const path of pagesOf(site).values()) {
      expect([path, existsSync(join(dist, site, path.replace(/md$/, 'html')))]).toEqual([
        path,
        true,
      ]);
    }
  });

  test('every link leads to a page, and to a place that the page has', () => {
    const pages = filesOf(site, '**/*.html');
    const served = new Set(['/', '/openapi.json', '/openapi/partner.json']);
    const dead: string[] = [];
    for (const [name, html] of pages) {
      for (const href of attributes(html, 'href')) {
        if (/^[a-z]+:/.test(href)) continue;
        const [path = '', anchor] = href.split('#');
        if (served.has(path)) continue;
        const from = posix.join('/docs', name);
        const file =
          path === ''
            ? name
            : fileAt(
                site,
                posix.resolve(posix.dirname(from), path) + (path.endsWith('/') ? '/' : ''),
              );
        const isThere =
          file !== undefined &&
          (!anchor ||
            !file.endsWith('.html') ||
            pages.get(file)?.includes(` id="${decodeURIComponent(anchor)}"`));
        if (!isThere) dead.push(`${name}: ${href}`);
      }
    }
    expect(dead).toEqual([]);
  });

  test('tells the search boxes of every page, and of parts that exist', () => {
    const contents: DocsPage[] = JSON.parse(readFileSync(join(dist, site, 'pages.json'), 'utf8'));
    expect(contents).toHaveLength(pagesOf(site).size);
    const missing = contents.flatMap(({ path, parts }) => {
      const html = readFileSync(join(dist, site, fileAt(site, path) ?? 'none'), 'utf8');
      return parts.filter(({ anchor }) => !html.includes(` id="${anchor.slice(1)}"`));
    });
    expect(missing).toEqual([]);
    expect(contents.flatMap(({ parts }) => parts).length).toBeGreaterThan(contents.length);
  });

  test('loads nothing from elsewhere, and has no inline scripts or styles', () => {
    for (const [name, html] of filesOf(site, '**/*.html')) {
      const loaded = [
        ...attributes(html, 'src'),
        ...[...html.matchAll(/<link [^>]*>/g)].flatMap(([tag]) => attributes(tag, 'href')),
      ];
      expect([name, loaded.filter((address) => !address.startsWith('/docs/'))]).toEqual([name, []]);
      expect([name, html.match(/<script(?![^>]* src=)[^>]*>|<style| style="/g)]).toEqual([
        name,
        null,
      ]);
    }
  });

  test('can be searched without a server, and "429" leads to the partner guide before measurements', async () => {
    const names = globSync('assets/chunks/@localSearchIndex*.js', { cwd: join(dist, site) });
    expect(names).toHaveLength(1);
    const { default: index } = await import(join(dist, site, names[0] as string));
    // As VitePress searches.
    const options = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] };
    const searchOptions = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } };
    const found = MiniSearch.loadJSON(index, { ...options, searchOptions }).search('429');
    const pages = found.map(({ id }) => String(id));
    expect(pages.slice(0, 5).join(' ')).toContain('/partner-guide/errors');
    const first = (part: string) => pages.findIndex((page) => page.startsWith(part));
    const measured = first('/scale/');
    if (measured >= 0) expect(first('/partner-guide/')).toBeLessThan(measured);
  });
});

test('partners read nothing about what operators set', () => {
  const own = /BELLHOP_(?!API_KEY|KEY_ID|TOKEN)\w+/g;
  for (const [name, html] of filesOf('partners', '**/*.html')) {
    expect([name, html.match(own)]).toEqual([name, null]);
  }
});
