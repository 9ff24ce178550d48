/** New deliveries on the way to their lanes; the same for both engines. */

import type { EpochOf } from '../../delivery/orders/accept.ts';
import type { NewDelivery } from '../../delivery/orders/judge.ts';
import { NEVER_ATTEMPTED, shardOf } from '../../delivery/queue.ts';
import type { Due } from '../../delivery/stages.ts';
import { orderKeyOf } from './rows.ts';

export interface NewPending extends NewDelivery {
  midoffice_id: string;
  order_key: string | null;
  shard: number;
  /** The epoch of its shard, if this node owns it. Otherwise a notice tells the owner. */
  epoch: number | undefined;
}

/** The queue rows of those deliveries that have a midoffice. */
export function newPendingOf(rows: readonly NewDelivery[], epochOf: EpochOf): NewPending[] {
  return rows.flatMap((row) => {
    const { midoffice_id } = row;
    if (midoffice_id === null) return [];
    const shard = shardOf(midoffice_id);
    const order_key = row.ordered ? orderKeyOf(row) : null;
    return [{ ...row, midoffice_id, order_key, shard, epoch: epochOf(shard) }];
  });
}

/** The work that this node can begin at once. */
export function ownWork(pending: readonly NewPending[], seqOf: (eventId: string) => number): Due[] {
  return pending.flatMap(({ epoch, ...row }) =>
    epoch === undefined ? [] : [{ ...row, ...NEVER_ATTEMPTED, epoch, seq: seqOf(row.event_id) }],
  );
}

/** The midoffices whose owner is another node. */
export function lanesOfOtherNodes(pending: readonly NewPending[]): string[] {
  return [
    ...new Set(pending.flatMap((row) => (row.epoch === undefined ? [row.midoffice_id] : []))),
  ];
}
