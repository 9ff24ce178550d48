/** The pages of the documentation that this listener serves, and their parts. */
import type { DocsPage } from '@bellhop/rules/docs-page';
import { useQuery } from '@tanstack/react-query';
import { type Entry, fits } from './entries.ts';

const ADDRESS = '/docs/pages.json';
const SHORTEST_TEXT = 2;
const MOST_SHOWN = 6;

async function readPages({ signal }: { signal: AbortSignal }): Promise<DocsPage[]> {
  const reply = await fetch(ADDRESS, { signal }).catch(() => undefined);
  return reply?.ok ? reply.json() : [];
}

/** Whole pages first. None until the search box is used. */
export function useDocs(text: string, isUsed: boolean): Entry[] {
  const { data = [] } = useQuery({
    queryKey: ['documentation'],
    queryFn: readPages,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isUsed,
  });
  if (text.length < SHORTEST_TEXT) return [];
  const pages = data.filter(({ title }) => fits(text, title));
  const parts = data.flatMap(({ title, path, parts }) =>
    parts
      .filter((part) => !fits(text, title) && fits(text, title, part.title))
      .map((part) => entryOf(`${path}${part.anchor}`, part.title, title)),
  );
  const all = [...pages.map(({ title, path }) => entryOf(path, title)), ...parts];
  return all.slice(0, MOST_SHOWN);
}

function entryOf(path: string, title: string, page?: string): Entry {
  const open = () => location.assign(path);
  return { id: path, title, ...(page !== undefined && { detail: page }), open };
}
