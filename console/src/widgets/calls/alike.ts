import type { Call } from '../../api/types.ts';

/** Calls that follow each other and differ in their time only: one row of a list. */
export interface Alike {
  newest: Call;
  /** Newest first. */
  lines: Call[];
  /** Also those that share a line. */
  calls: number;
}

const same = ['key_id', 'code', 'status', 'method', 'endpoint', 'path', 'address'] as const;

export function alike(calls: readonly Call[]): Alike[] {
  const rows: Alike[] = [];
  for (const call of calls) {
    const last = rows.at(-1);
    if (last && same.every((field) => last.newest[field] === call[field])) {
      last.lines.push(call);
      last.calls += call.sampled_from;
    } else {
      rows.push({ newest: call, lines: [call], calls: call.sampled_from });
    }
  }
  return rows;
}
