/**
 * The data of one environment. Ordinary reads and writes are functions in resources/ and queue/ that take `db`.
 * Every change goes through `change`, which cannot commit without an audit row and tells the nodes which cached
 * keys and midoffices are out of date. Hot paths have interfaces of their own, declared where they are used and
 * tuned for each engine.
 *
 *     sqlite/, postgres/    open the store: connections, identity.ts, migrations/, then everything below
 *     schema.ts             the tables, the same in both engines
 *     change.ts             one transaction, its audit row, and what it makes out of date
 *     queue/                pending deliveries: verbs.ts shows how a row gets in and out
 *     housekeeping.ts       backlog, failing midoffices, retention; minute-stats.ts and usage-history.ts count
 *     notices.ts, mails.ts  what partners are told, and the mails that tell them
 *     recorded-calls.ts     refused and failed calls: reading them, and how many are kept
 *     storage-health.ts     notes disk errors; storage-trouble.ts says what people must do
 *     back-office/          the other store: tokens, people and sessions
 *     direct/               a database without a server: for the command line
 */
import type { Transaction } from 'kysely';
import type { Outage } from '../base/database-errors.ts';
import type { MinuteStats } from '../delivery/delivery-stats.ts';
import type { HousekeepingStore } from '../delivery/housekeeping.ts';
import type { OrderStore } from '../delivery/orders/accept.ts';
import type { DeliveryQueue, ShardLeases } from '../delivery/queue.ts';
import type { Due } from '../delivery/stages.ts';
import type { Invalidations, KeyLookup } from '../gateway/keys.ts';
import type { CallStore } from '../gateway/recorded-calls/recorded-call.ts';
import type { UsageStore } from '../gateway/usage-history/history.ts';
import type { AdmissionJournal } from '../limiter/limiter.ts';
import type { MailQueue } from '../notices/mail-queue.ts';
import type { Engine } from './engine.ts';
import type { KeptChange } from './kept-change.ts';
import type { DatabaseUrls } from './postgres/pools.ts';
import type { QueueVerbs } from './queue/verbs.ts';
import type { Database, Schema } from './schema.ts';
import type { Readers } from './sqlite/readers.ts';
import type { StorageHealth } from './storage-health.ts';

export interface Store {
  readonly engine: Engine;
  readonly db: Database;
  /**
   * As `db`, for the requests of one caller: reads neither hold up what is delivered nor what others read. On the embedded
   * engine they run in another thread, and callers take turns there.
   */
  dbFor(caller: string): Database;
  /** As `db`, over connections that reports cannot use up: for short reads by index. */
  readonly promptDb: Database;
  readonly keys: KeyLookup;
  readonly invalidations: Invalidations;
  readonly admissions: AdmissionJournal;
  readonly orders: OrderStore<Due>;
  readonly queue: DeliveryQueue;
  readonly shards: ShardLeases;
  readonly minuteStats: MinuteStats;
  readonly housekeeping: HousekeepingStore;
  readonly mails: MailQueue;
  readonly usageHistory: UsageStore;
  readonly recordedCalls: CallStore;
  /** One transaction: everything in it and its audit row, or nothing. */
  change<T>(actor: string, work: (change: Change) => Promise<T>): Promise<T>;
  /** What was changed by others over the connections of this store; see `auditedChange`. PostgreSQL only. */
  keepChange?(change: KeptChange): void;
  /** PostgreSQL only. */
  readonly failovers?: Failovers;
  /** Rejects if the database does not answer or cannot be written to. */
  ping(): Promise<void>;
  readonly outage: Outage;
  /** Why nothing can be stored, as a sentence; undefined while there is no problem. */
  storageTrouble(): string | undefined;
  /**
   * For connections that are opened from now on: the address of the same database with another user or password.
   * Returns false if nothing has changed. An embedded store has no connections.
   */
  useCredentials?(urls: DatabaseUrls): boolean;
  /** Where people's reads run. Embedded only. */
  readonly readers?: Readers;
  /** Keeps track of disk errors. */
  readonly health: StorageHealth;
  close(): Promise<void>;
}

/** Failovers of the database that this process has seen, and what it did about them. */
export interface Failovers {
  readonly count: number;
  /** Events, outcomes of attempts and changes that the new primary lacked and has again. */
  readonly restored: number;
  /** What could not be stored again. The log names each. */
  readonly notRestored: number;
  /** Nodes that were alive before a failover and did not come back: what only they knew is lost. The log names each. */
  readonly nodesLost: number;
  readonly isRestoring: boolean;
  /** Called after each, with the time since the lost history was read last. */
  subscribe(listener: (silentForMs: number) => void): () => void;
}

export interface Change {
  readonly db: Transaction<Schema>;
  readonly now: number;
  /** Adds an audit row, for people to read: `before` and `after` contain no secrets. Returns its id. */
  audit(
    action: string,
    subject: string,
    before: object | null,
    after: object | null,
  ): Promise<string>;
  /**
   * Replaces `after` of an audit row instead: for a change that continues an earlier one, because it is too
   * large for one transaction or because one request is made in several steps.
   */
  auditMore(id: string, after: object | null): Promise<void>;
  /** Ends the transaction with nothing changed and nothing to audit. It throws; `change` returns the result. */
  unchanged<T>(result: T): T;
  /**
   * Makes all nodes read these again within a second: keys, which partner API nodes cache, and midoffices, which
   * workers cache together with their signing keys.
   */
  invalidate(ids: readonly string[]): Promise<void>;
  /** What support may do to deliveries. Notifies their lanes after the commit. */
  readonly queue: QueueVerbs;
  /** Tells the workers, after the commit, that what they know about these lanes is out of date. */
  lanesChanged(midofficeIds: readonly string[]): Promise<void>;
}
