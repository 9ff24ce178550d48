/** What the search boxes of the console and the portal know of a site: its pages and their parts. */
import type { DocsPage } from '@bellhop/rules/docs-page';
import { linkTo, pagesOf, readPage, type Site, slugOf, titleOf } from './pages.ts';

export function contentsOf(site: Site): DocsPage[] {
  return [...pagesOf(site)].map(([source, path]) => ({
    title: titleOf(source),
    path: `/docs${linkTo(path)}`,
    parts: partsOf(readPage(source)),
  }));
}

/** Those under headings that are plain text. */
function partsOf(page: string): DocsPage['parts'] {
  const prose = page.replace(/^```.*?^```/gms, '');
  const headings = [...prose.matchAll(/^## ([^[\]<>\n]+)$/gm)].map(([, heading = '']) => heading);
  return [...new Set(headings)].map((heading) => {
    const title = heading.replaceAll('`', '').trim();
    return { title, anchor: `#${slugOf(title)}` };
  });
}
