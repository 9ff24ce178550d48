import type { Call } from '../../api/types.ts';

const same = ['key_id', 'code', 'status', 'method', 'endpoint', 'path', 'address'] as const;

export type Comparable = Pick<Call, (typeof same)[number] | 'sampled_from'>;

/** Calls that follow each other and differ in their time only: one row of a list. */
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
