import type { Call } from '../../api/types.ts';

const same = ['key_id', 'code', 'status', 'method', 'endpoint', 'path', 'address'] as const;

export type Comparable = Pick<Call, (typeof same)[number] | 'sampled_from'>;

/** Calls that differ in their time only: one row of a list, even if others came between them, as they do from two servers. */
export interface Alike<One> {
  newest: One;
  /** Newest first. */
  lines: One[];
  /** Also those that share a line. */
  calls: number;
}

export function alike<One extends Comparable>(calls: readonly One[]): Alike<One>[] {
  const rows: Alike<One>[] = [];
  for (const call of calls) {
    const row = rows.find(({ newest }) => same.every((field) => newest[field] === call[field]));
    if (row) {
      row.lines.push(call);
      row.calls += call.sampled_from;
    } else {
      rows.push({ newest: call, lines: [call], calls: call.sampled_from });
    }
  }
  return rows;
}
