/** Endpoints as the pages of keys list them: those in use first, the most called at the top, then the others by area. */
import { areas } from '../../../../server/src/base/catalogue.ts';
import type { UsageHistoryItem } from '../../api/types.ts';
import type { Group } from '../../ui/lists/groups.ts';
import { words } from '../../words/words.ts';

/** What was called in the last 7 days. */
export interface Calls {
  calls: number;
  refused: number;
}

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

/** Without empty groups. `callsOf` is 0 for what was not used. */
export function usedFirst<Row extends { endpoint: string }>(
  rows: readonly Row[],
  callsOf: (row: Row) => number,
): Group<Row>[] {
  const used = rows.filter((row) => callsOf(row) > 0).sort((a, b) => callsOf(b) - callsOf(a));
  const rest = areas.map(({ name, endpoints }) => ({
    name,
    rows: endpoints.flatMap(({ endpoint }) =>
      rows.filter((row) => row.endpoint === endpoint && callsOf(row) === 0),
    ),
  }));
  const groups = [{ name: words.limits.usedLately, rows: used }, ...rest];
  return groups.filter((group) => group.rows.length > 0);
}

/** Whether the endpoint, or the name of its area, has this text in it. */
export function matchesText(endpoint: string, text: string): boolean {
  const area = areas.find(({ endpoints }) => endpoints.some((one) => one.endpoint === endpoint));
  return `${endpoint} ${area?.name}`.toLowerCase().includes(text.trim().toLowerCase());
}
