/**
 * The links of the pages are written for the repository, where they lead from file to file. On a site, one that leads to
 * a page leads to its address. What is not a page is copied beside it if it belongs to the documentation, as
 * documents, programs and images do; a link to source code becomes plain text.
 */
import type { MarkdownRenderer } from 'vitepress';
import { linkTo, type Pages, targetOf } from './pages.ts';

/** Files of the documentation that are not pages. */
export const ATTACHED =
  /^docs\/(?:openapi\/[\w-]+\.json|partner-guide\/snippets\/\w+\.(?!md$)\w+)$/;

export function attachedPath(file: string): string {
  return file.replace(/^docs\//, 'files/');
}

/** `attach` gets every file that a page links to and that is not a page. */
export function leadToPages(
  markdown: MarkdownRenderer,
  pages: Pages,
  attach: (file: string) => void,
): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const source = sourceOf(pages, env.relativePath as string);
    for (const { children } of tokens) {
      const unlinked: number[] = [];
      for (const token of children ?? []) {
        if (token.type === 'link_close' && unlinked.pop()) token.type = 'text';
        if (token.type !== 'link_open') continue;
        const target = targetOf(source, token.attrGet('href') ?? '');
        const page = target && pages.get(target.file);
        unlinked.push(0);
        if (!target) continue;
        if (page !== undefined) {
          token.attrSet('href', linkTo(page, target.anchor));
        } else if (ATTACHED.test(target.file)) {
          attach(target.file);
          token.attrSet('href', `/${attachedPath(target.file)}`);
          token.attrSet('target', '_self');
        } else {
          unlinked[unlinked.length - 1] = 1;
          token.type = 'text';
          token.content = '';
        }
      }
    }
  });
}

function sourceOf(pages: Pages, path: string): string {
  if (pages.has(path)) return path;
  const found = [...pages].find(([, rewritten]) => rewritten === path);
  if (!found) throw new Error(`${path} is not a page of this site.`);
  return found[0];
}
