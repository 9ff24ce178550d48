/** The portal's operations as a page, made from its OpenAPI document. It needs no script. */
import type { Document, Operation } from '../back-office/openapi/json.ts';
import type { Brand } from './entrance.ts';
import { escaped, page } from './link-pages.ts';

type Described = Operation & { tags?: string[]; summary?: string; description?: string };

export function docsPage(brand: Brand, document: Document): string {
  const tags = (document.tags ?? []) as { name: string; description: string }[];
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const parts = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => (operation as Described).tags?.includes(name));
    return `<h2>${escaped(description)}</h2>\n${own.map(asSection).join('\n')}`;
  });
  return page(
    brand,
    'The API of the partner portal',
    `<p>Sign in first; the cookie then goes with every request. <a href="/openapi.json">The OpenAPI document</a> has every field.</p>
${parts.join('\n')}`,
  );
}

function asSection(one: { method: string; path: string; operation: Described }): string {
  const { method, path, operation } = one;
  const { summary = '', description, parameters = [] } = operation;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const names = query.map(({ name }) => `<code>${escaped(name)}</code>`);
  return `<h3><code>${method.toUpperCase()} ${escaped(path)}</code></h3>
<p>${escaped(summary)}.${description ? ` ${escaped(description)}` : ''}</p>${
    names.length > 0 ? `\n<p>Query: ${names.join(', ')}.</p>` : ''
  }`;
}
