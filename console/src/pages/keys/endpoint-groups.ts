/** The 43 endpoints as the page of a key lists them: those in use first, then the others by area. */
import { catalogue, shortPath } from '../../../../server/src/base/catalogue.ts';
import type { Grant } from '../../api/types.ts';
import type { Group } from '../../ui/lists/groups.ts';
import { type Calls, matchesText, usedFirst } from '../../widgets/endpoints/by-area.ts';
import { isDefault } from './default-grant.ts';

export interface EndpointRow {
  endpoint: string;
  path: string;
  /** Undefined if the key does not have the endpoint. */
  grant: Grant | undefined;
  used: Calls | undefined;
}

export const shownEndpoints = ['changed', 'refused', 'missing'] as const;
export type ShownEndpoints = (typeof shownEndpoints)[number];

export interface EndpointFilterValue {
  text: string;
  shown: ShownEndpoints | undefined;
}

const matches: Record<ShownEndpoints, (row: EndpointRow) => boolean> = {
  changed: ({ grant }) => grant !== undefined && !isDefault(grant),
  refused: ({ used }) => (used?.refused ?? 0) > 0,
  missing: ({ grant }) => grant === undefined,
};

/** Without groups that the filter leaves empty. */
export function endpointGroups(
  grants: readonly Grant[],
  calls: ReadonlyMap<string, Calls>,
  { text, shown }: EndpointFilterValue,
): Group<EndpointRow>[] {
  const granted = new Map(grants.map((grant) => [grant.endpoint, grant]));
  const rows = catalogue
    .filter(({ endpoint }) => matchesText(endpoint, text))
    .map(({ endpoint }) => ({
      endpoint,
      path: shortPath(endpoint),
      grant: granted.get(endpoint),
      used: calls.get(endpoint),
    }))
    .filter((row) => !shown || matches[shown](row));
  return usedFirst(rows, ({ used }) => used?.calls ?? 0);
}

/** How many there are of each kind, whatever the filter shows. */
export function countsOf(
  grants: readonly Grant[],
  calls: ReadonlyMap<string, Calls>,
): Record<ShownEndpoints, number> {
  const count = (shown: ShownEndpoints) =>
    endpointGroups(grants, calls, { text: '', shown }).flatMap(({ rows }) => rows).length;
  return { changed: count('changed'), refused: count('refused'), missing: count('missing') };
}
