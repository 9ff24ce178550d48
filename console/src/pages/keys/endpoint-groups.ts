/** The 43 endpoints as the page of a key lists them: those in use first, then the others by area. */
import { areas, shortPath } from '../../../../server/src/base/catalogue.ts';
import type { Grant, UsageHistoryItem } from '../../api/types.ts';
import { isDefault } from './default-grant.ts';

/** What was called in the last 7 days. */
export interface Calls {
  calls: number;
  refused: number;
}

export interface EndpointRow {
  endpoint: string;
  path: string;
  /** Undefined if the key does not have the endpoint. */
  grant: Grant | undefined;
  used: Calls | undefined;
}

export interface EndpointGroup {
  name: string;
  rows: EndpointRow[];
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

export function callsByEndpoint(history: readonly UsageHistoryItem[]): Map<string, Calls> {
  const sums = new Map<string, Calls>();
  for (const { endpoint, admitted, refused } of history) {
    const sum = sums.get(endpoint) ?? { calls: 0, refused: 0 };
    sums.set(endpoint, {
      calls: sum.calls + admitted + refused,
      refused: sum.refused + refused,
    });
  }
  return sums;
}

/** Without groups that the filter leaves empty. */
export function endpointGroups(
  grants: readonly Grant[],
  calls: ReadonlyMap<string, Calls>,
  { text, shown }: EndpointFilterValue,
): EndpointGroup[] {
  const granted = new Map(grants.map((grant) => [grant.endpoint, grant]));
  const wanted = text.trim().toLowerCase();
  const byArea = areas.map(({ name, endpoints }) => ({
    name,
    rows: endpoints
      .map(({ endpoint }) => ({
        endpoint,
        path: shortPath(endpoint),
        grant: granted.get(endpoint),
        used: calls.get(endpoint),
      }))
      .filter((row) => `${row.path} ${name}`.toLowerCase().includes(wanted))
      .filter((row) => !shown || matches[shown](row)),
  }));
  const used = byArea
    .flatMap(({ rows }) => rows)
    .filter((row) => row.used)
    .sort((one, other) => (other.used?.calls ?? 0) - (one.used?.calls ?? 0));
  const rest = byArea.map(({ name, rows }) => ({ name, rows: rows.filter((row) => !row.used) }));
  return [{ name: 'Used in the last 7 days', rows: used }, ...rest].filter(
    ({ rows }) => rows.length > 0,
  );
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
