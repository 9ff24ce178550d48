/**
 * The store on PostgreSQL, for any number of nodes. All tables are in the schema `bellhop`, whatever the
 * search path in the URL. So two environments cannot share a database in two schemas: the second one finds
 * the name of the first in `meta` and is refused.
 */
import { randomBytes } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../../base/clock.ts';
import { databaseVariable } from '../../base/config/config.ts';
import type { PoolSizes } from '../../base/config/database-connections.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Log } from '../../base/log.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import type { DeliveryQueue, Remembered } from '../../delivery/queue.ts';
import { changeOn } from '../change.ts';
import { housekeepingOn } from '../housekeeping.ts';
import { claimIdentity } from '../identity.ts';
import type { KeptChange } from '../kept-change.ts';
import { postgresKeyLookup, readSnapshots } from '../key-lookup.ts';
import { mailQueueOn } from '../mails.ts';
import { refuseUnlessAllKnow } from '../master-keys-in-use.ts';
import { minuteStatsOn } from '../minute-stats.ts';
import { restateAsStored } from '../queue/restate-order.ts';
import { restoreShards } from '../queue/restore-shards.ts';
import type { Schema } from '../schema.ts';
import { PROBE_BYTES, StorageHealth } from '../storage-health.ts';
import { storageTroubleOf, storageTroubles } from '../storage-trouble.ts';
import type { Store } from '../store.ts';
import { environmentTables } from '../table-sets.ts';
import { postgresAdmissions } from './admissions.ts';
import type { ChangesOverRedis } from './changes-over-redis.ts';
import type { TimeSample } from './database-clock.ts';
import { FailoverRecovery } from './failover-recovery.ts';
import { type Failover, History } from './history.ts';
import { type PolledInvalidations, watchInvalidations } from './invalidations.ts';
import { KeptWrites } from './kept-writes.ts';
import { KnownKeys } from './known-keys.ts';
import { PostgresLoneNodes } from './lone-nodes.ts';
import { lockMasterKeys, readMasterKeysInUse } from './master-keys-in-use.ts';
import { explained, migratePostgres } from './migrating.ts';
import { postgresOrders } from './orders.ts';
import { checkAddresses } from './pooler.ts';
import { type DatabaseUrls, directUrlOf, openPools, PROMPT_ANSWER_MS } from './pools.ts';
import { postgresQueue } from './queue.ts';
import { endOutdatedSessions } from './read-only.ts';
import { postgresRecordedCalls } from './recorded-calls.ts';
import { postgresShards } from './shards.ts';
import { warnOfUnsafeServer } from './unsafe-server.ts';
import { postgresUsageHistory } from './usage-history.ts';
import { CHANNEL, payloads, workNotices } from './work-notices.ts';

const MOST_TRIES = 5;
/** Keys that are read again when they change; after an import, the others are when they sign in. */
const MOST_LEARNED = 1_000;

export const ALL_WORK: PoolSizes = { calls: 2, delivery: 3, leases: 1, general: 6, watch: 1 };

export interface PostgresStoreOptions extends DatabaseUrls {
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
  log: Log;
  /** How long the lease of a shard lasts; shorter in tests. */
  leaseMs?: number;
  /** Told several times a second what the clock of the database said. */
  onTime?: (sample: TimeSample) => void;
  /** The database was moved while this node runs on it. */
  onGone?: ((error: Error) => void) | undefined;
  /** Another thread of this process has opened it before. */
  attach?: boolean | undefined;
  /** How many connections each kind of work may have; by default enough for all of it in one thread. */
  sizes?: PoolSizes;
  /** How long keys that signed in before are served while the database does not answer. */
  serveWithoutMs?: number;
  /** Changes of keys travel over this Redis too; without one, only over the database. */
  redisUrl?: string | undefined;
}

export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, directUrl, environment, vault, clock, log, serveWithoutMs = 0, redisUrl } = options;
  const { sizes = ALL_WORK } = options;
  const notices = workNotices();
  const kept = new KeptWrites(clock);
  const history = new History({
    ...{ clock, log, onFailover },
    watchAnew: () => pools.watch.discardAll(),
  });
  const { isPooled } = await checkAddresses(options, { environment, log });
  const pools = openPools({
    ...{ url, directUrl, isPooled, environment, sizes, log, masterKeyIds: vault.masterKeyIds },
    verify: (connection) => history.verify(connection),
    // Only a thread that delivers has to hear of work.
    ...(sizes.leases > 0 && { onWatching: notices.listenOn }),
  });
  const { pool, prompt, liveness } = pools;
  const failovers = new FailoverRecovery({ kept, pool: pools.delivery, clock, log });
  const health = new StorageHealth(() => probe(pool), log);
  const kyselyOn = (on: pg.Pool) =>
    new Kysely<Schema>({
      dialect: new PostgresDialect({ pool: on }),
      log: (event) => {
        if (event.level === 'error') health.note(event.error);
      },
    });
  const db = kyselyOn(pool);
  const variable = databaseVariable(environment);
  const where = `The database of ${variable}`;
  let invalidations: PolledInvalidations;
  let overRedis: ChangesOverRedis | undefined;
  const loneNodes = new PostgresLoneNodes(prompt);
  const keys = new KnownKeys(postgresKeyLookup(prompt), clock, async () => {
    await overRedis?.becomesCurrent();
    return mayGoOn();
  });
  try {
    await migratePostgres({ url: directUrlOf(options), environment, log }, environmentTables);
    await connectSoon(pools.watch);
    if (!options.attach) await warnOfUnsafeServer(pool, where, log);
    await claimWithKeys(db, environment, vault, where);
    await restoreShards(db, clock.now());
    invalidations = await watchInvalidations({
      pool,
      prompt: pools.watch,
      answerMs: PROMPT_ANSWER_MS,
      liveness,
      history,
      clock,
      log,
      onTime: options.onTime,
      onRead: notices.caughtUp,
      onAlone: (alone, nowMs) => loneNodes.read(alone, nowMs),
      onMoved: () =>
        options.onGone?.(
          new Error(
            `${where} was moved by "bellhop move" while this process was using it; see docs/operating/move.md.`,
          ),
        ),
      onChanged: (ids) => void passOn(ids).catch(() => {}),
      onMissed: forgetAll,
    });
    // Before anyone who caches keys: whoever looks one up again must not find what is out of date.
    invalidations.subscribe((ids) => keys.forget(ids));
    if (redisUrl !== undefined && serveWithoutMs > 0) overRedis = await openOverRedis(redisUrl);
  } catch (error) {
    await pools.close();
    throw explained(error, variable);
  }
  const admissions = { ...postgresAdmissions(pool, prompt), loneNodes };
  const orders = postgresOrders(pools.delivery, (events) => kept.keep({ kind: 'events', events }));

  /** Whether keys that this node knows are served although the database does not answer. Changes reach it over Redis. */
  function mayGoOn(): boolean {
    return awayForMs() < serveWithoutMs && (overRedis?.mayGoOn() ?? true);
  }

  function awayForMs(): number {
    return clock.monotonic() - invalidations.readAtMs();
  }

  function forgetAll(): Promise<void> {
    return invalidations.announce(keys.forgetAll());
  }

  /** Nothing that this node knows of the database holds any more. */
  async function onFailover({ silentForMs }: Failover): Promise<void> {
    pools.startOver();
    const remembered: Remembered[] = [];
    notices.notify({ kind: 'failover', keep: (some) => remembered.push(some) });
    // Its connections wait until this has resolved.
    failovers.begin(remembered, silentForMs);
    const ids = keys.forgetAll();
    // The thread of the partner API finds out by itself. Told earlier, it would know no key before it can look one up.
    if (!options.attach) await invalidations.announce(ids);
  }

  /** Nobody waits for it. */
  function announce(ids: readonly string[]): void {
    invalidations.announce(ids).catch((error) => {
      log.warn({ err: error }, 'what has changed could not be read again');
    });
  }

  /** Keys that have changed are known again before they sign in again: the database may be away by then. */
  async function passOn(ids: readonly string[]): Promise<void> {
    if (serveWithoutMs === 0) return;
    if (overRedis) await overRedis.publish(ids);
    else keys.learn(await readSnapshots(pool, ids.slice(0, MOST_LEARNED)));
  }

  async function openOverRedis(redis: string): Promise<ChangesOverRedis> {
    const { openChangesOverRedis } = await import('./changes-over-redis.ts');
    return openChangesOverRedis({
      ...{ url: redis, environment, vault, clock, log },
      snapshots: (ids) => readSnapshots(pool, ids),
      changedSince: (ms) => invalidations.changedSince(ms),
      onEntry({ ids, snapshots }) {
        if (!ids) return announce(keys.forgetAll());
        // The listeners forget; then what is known is as the entry says.
        announce(ids);
        if (snapshots) keys.learn(snapshots);
      },
    });
  }

  function keepChange(change: KeptChange): void {
    kept.keep({ kind: 'change', change });
  }

  return {
    engine: 'postgres',
    db,
    // Its connections wait for PostgreSQL's processes, beside everything else.
    dbFor: () => db,
    promptDb: kyselyOn(pools.delivery),
    keys,
    invalidations: {
      ...invalidations,
      isCurrent: () => invalidations.isCurrent() || mayGoOn(),
    },
    outage: {
      isAway: () => !invalidations.isCurrent(),
      mayGoOn,
      refusal: () =>
        liveness.isRefused
          ? `PostgreSQL refuses the user or the password of ${variable}`
          : undefined,
      silentForMs: awayForMs,
    },
    admissions: { ...admissions, append: (some) => health.watch(() => admissions.append(some)) },
    orders: { accept: (...args) => health.watch(() => orders.accept(...args)) },
    queue: watched(
      postgresQueue(
        pools.delivery,
        notices,
        (id, nowMs) => restateAsStored(db, id, nowMs),
        (outcomes) => kept.keep({ kind: 'outcomes', outcomes }),
      ),
      health,
    ),
    shards: postgresShards(pools.leases, options.leaseMs),
    minuteStats: minuteStatsOn(db),
    housekeeping: housekeepingOn(db),
    mails: mailQueueOn(db),
    usageHistory: postgresUsageHistory(db, clock),
    recordedCalls: postgresRecordedCalls(db),
    change: changeOn(
      db,
      clock,
      { announce: invalidations.announce, recordIds: true },
      async (notice, transaction) => {
        for (const payload of payloads(notice)) {
          await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(transaction);
        }
      },
      keepChange,
    ),
    keepChange,
    failovers,
    storageTrouble: () => health.trouble && storageTroubles[health.trouble],
    health,
    useCredentials: pools.useCredentials,
    async ping() {
      // Not behind slow reports, which would take a node out of service that answers everybody else.
      await pools.watch.query('select 1');
      await health.check();
    },
    async close() {
      await health.stop();
      invalidations.stop();
      await failovers.stop();
      overRedis?.close();
      await pools.close();
    },
  };
}

/** Shows this node's master keys to the others. Its deadline is short, and a busy machine may need longer. */
async function connectSoon(watch: pg.Pool): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await watch.query('select 1');
      return;
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
  }
}

/** Nodes take turns, and a node is refused if it would seal with a key that another one lacks. */
async function claimWithKeys(
  db: Kysely<Schema>,
  environment: EnvironmentName,
  vault: Vault,
  where: string,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockMasterKeys(transaction);
    await claimIdentity(transaction, environment, vault, where, async () =>
      refuseUnlessAllKnow(await readMasterKeysInUse(transaction), vault.currentKeyId),
    );
  });
}

/** The writes of deliveries also report disk trouble. */
function watched(queue: DeliveryQueue, health: StorageHealth): DeliveryQueue {
  return {
    ...queue,
    settle: (...args) => health.watch(async () => queue.settle(...args)),
    markWorked: (...args) => health.watch(() => queue.markWorked(...args)),
    markFailing: (...args) => health.watch(() => queue.markFailing(...args)),
  };
}

/** For `StorageHealth`. */
async function probe(pool: pg.Pool): Promise<void> {
  try {
    await writeAndRollBack(pool);
  } catch (error) {
    if (storageTroubleOf(error) === 'storage_read_only') await endOutdatedSessions(pool);
    throw error;
  }
}

/** Random bytes, because PostgreSQL compresses. */
async function writeAndRollBack(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const value = randomBytes(PROBE_BYTES).toString('base64');
    await client.query("insert into meta (name, value) values ('storage probe', $1)", [value]);
  } finally {
    await client.query('rollback').finally(() => client.release());
  }
}
