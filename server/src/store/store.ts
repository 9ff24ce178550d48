/**
 * The data of one environment. Ordinary reads use `db` as it is; every change goes through
 * `change`, which cannot be left without an audit row and tells the nodes which keys it touched.
 * What is hot has an interface of its own, declared by who needs it and tuned for each engine.
 */
import type { Kysely, Transaction } from 'kysely';
import type { MinuteStats } from '../delivery/delivery-stats.ts';
import type { HousekeepingStore } from '../delivery/housekeeping.ts';
import type { DeliveryQueue, ShardLeases } from '../delivery/queue.ts';
import type { Due } from '../delivery/stages.ts';
import type { AdmissionJournal } from '../limits/limiter.ts';
import type { OrderStore } from '../orders/accept.ts';
import type { KeyChanges, KeyLookup } from '../partner-api/keys.ts';
import type { Engine } from './engine.ts';
import type { QueueVerbs } from './queue/verbs.ts';
import type { Schema } from './schema.ts';

export interface Store {
  readonly engine: Engine;
  readonly db: Kysely<Schema>;
  readonly keys: KeyLookup;
  readonly keyChanges: KeyChanges;
  readonly admissions: AdmissionJournal;
  readonly orders: OrderStore<Due>;
  readonly queue: DeliveryQueue;
  readonly shards: ShardLeases;
  readonly minuteStats: MinuteStats;
  readonly housekeeping: HousekeepingStore;
  /** One transaction: everything in it and its audit row, or nothing. */
  change<T>(actor: string, work: (change: Change) => Promise<T>): Promise<T>;
  /** Rejects if the database does not answer, or cannot be written to. */
  ping(): Promise<void>;
  /** What keeps changes from being stored, in a sentence; undefined while nothing does. */
  storageTrouble(): string | undefined;
  close(): Promise<void>;
}

export interface Change {
  readonly db: Transaction<Schema>;
  readonly now: number;
  /** What was changed, for people: `before` and `after` hold no secrets. */
  audit(
    action: string,
    subject: string,
    before: object | null,
    after: object | null,
  ): Promise<void>;
  /** Nodes drop what they remember of these keys, at the latest within a second. */
  keysChanged(keyIds: readonly string[]): Promise<void>;
  /** What support may do to deliveries; tells their lanes once this is committed. */
  readonly queue: QueueVerbs;
  /** Tells the workers, once this is committed, that what they know of these lanes is out of date. */
  lanesChanged(midofficeIds: readonly string[]): Promise<void>;
}
