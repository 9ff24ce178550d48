/** Newly accepted deliveries on their way to their lanes; the same for both engines. */
import { shardOf } from '../../delivery/queue.ts';
import type { Due } from '../../delivery/stages.ts';
import type { EpochOf } from '../../orders/accept.ts';
import type { NewDelivery } from '../../orders/judge.ts';
import { freshDue, orderKeyOf } from './rows.ts';

export interface Queued extends NewDelivery {
  midoffice_id: string;
  order_key: string | null;
  shard: number;
  /** Of its shard, if this node owns it; otherwise the owner is told by notice. */
  epoch: number | undefined;
}

/** Those that have a midoffice to go to. */
export function queuedOf(rows: readonly NewDelivery[], epochOf: EpochOf): Queued[] {
  return rows.flatMap((row) => {
    const { midoffice_id } = row;
    if (midoffice_id === null) return [];
    const shard = shardOf(midoffice_id);
    const order_key = row.ordered ? orderKeyOf(row) : null;
    return [{ ...row, midoffice_id, order_key, shard, epoch: epochOf(shard) }];
  });
}

/** What this node may begin with at once. */
export function ownWork(queued: readonly Queued[], seqOf: (eventId: string) => number): Due[] {
  return queued.flatMap((row) =>
    row.epoch === undefined ? [] : [freshDue(row, { seq: seqOf(row.event_id), epoch: row.epoch })],
  );
}

/** The midoffices that other nodes deliver to. */
export function othersLanes(queued: readonly Queued[]): string[] {
  return [...new Set(queued.flatMap((row) => (row.epoch === undefined ? [row.midoffice_id] : [])))];
}
