/** Parts of the settle statements: the fence, and the attempts as one array per column. */
import { attemptColumns, attemptFields } from '../../delivery/attempt.ts';
import type { Settlement } from '../../delivery/stages.ts';

/** $1 and $2: shards, and the epochs under which the attempts began. Sorted, to avoid deadlocks. */
export const FENCE = `
  held as materialized (
    select s.n, s.epoch from shard s
      join unnest($1::int[], $2::bigint[]) as h (n, epoch) on s.n = h.n and s.epoch = h.epoch
     order by s.n for key share of s)`;

type Column = readonly [name: string, type: string, of: (settlement: Settlement) => unknown];

const COLUMNS: readonly Column[] = [
  ['seq', 'bigint', ({ due }) => due.seq],
  ['shard', 'int', ({ due }) => due.shard],
  ['epoch', 'bigint', ({ due }) => due.epoch],
  ...attemptFields.map(
    (name): Column => [name, attemptColumns[name], ({ attempt }) => attempt[name]],
  ),
];

/** `first`: the number of the first parameter. */
function outcomesFrom(first: number): string {
  const arrays = COLUMNS.map(([, type], i) => `$${first + i}::${type}[]`).join(', ');
  return `unnest(${arrays}) as o (${COLUMNS.map(([name]) => name).join(', ')})`;
}

export const outcomesAfterFence = outcomesFrom(3);
export const outcomesAlone = outcomesFrom(1);

export const RECORD = `
  insert into attempt (delivery_seq, ${attemptFields.join(', ')})
  select o.seq, ${attemptFields.map((name) => `o.${name}`).join(', ')}`;

export function recordValues(settlements: readonly Settlement[]): unknown[][] {
  return COLUMNS.map(([, , of]) => settlements.map(of));
}
