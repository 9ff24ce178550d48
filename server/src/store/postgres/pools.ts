/**
 * A thread's connections to the database of one environment. Partners' calls, deliveries, leases and the watch for
 * changes have connections of their own, so that slow reports cannot use them up. How many each of them has is in
 * base/config/database-connections.ts; a thread that does not do the work has none for it.
 */
import type { PoolSizes } from '../../base/config/database-connections.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Log } from '../../base/log.ts';
import type { Connection } from './connection.ts';
import { Liveness } from './liveness.ts';
import { showMasterKeys } from './master-keys-in-use.ts';
import { BoundedPool, type PoolOptions } from './pool.ts';
import { PromptQueries } from './prompt-queries.ts';

/** For the back office, whose queries may be large, and for whatever has no connections of its own. */
const GENERAL = {
  waitMs: 3_000,
  connectMs: 2_000,
  answerMs: 35_000,
  statementMs: 30_000,
};

/**
 * For accepting and delivering. Every statement there can use an index, and the session settings below
 * make it do so. The planner's statistics are from before a storm: believing that almost nothing is
 * pending, it would read and sort everything that is.
 */
const DELIVERY = {
  waitMs: 3_000,
  connectMs: 2_000,
  answerMs: 5_000,
  statementMs: 5_000,
};
export const BY_INDEX_ONLY = `
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set jit = off`;

/** Only for the leases of shards: a node whose renewal waits behind a lost answer would lose them all. */
const LEASES = {
  waitMs: 1_000,
  connectMs: 1_000,
  answerMs: 1_000,
  statementMs: 1_000,
};

/** After PostgreSQL is back, statements from before have this long to be answered. */
const LATE_ANSWERS_MS = 1_000;

/**
 * For statements that a partner's call waits for. A call must be answered within a second, even if only
 * the next poll for key changes, up to 0.2 s later, notices that PostgreSQL is gone.
 */
export const PROMPT_ANSWER_MS = 800;

const PROMPT = {
  waitMs: PROMPT_ANSWER_MS,
  connectMs: PROMPT_ANSWER_MS,
  answerMs: PROMPT_ANSWER_MS,
  statementMs: PROMPT_ANSWER_MS,
};

type WorkOptions = Omit<PoolOptions, 'name' | 'connections' | 'liveness' | 'log'>;

export interface Pools {
  pool: BoundedPool;
  delivery: BoundedPool;
  leases: BoundedPool;
  prompt: PromptQueries;
  /** For the watch for changes, and to find out whether PostgreSQL answers. */
  watch: BoundedPool;
  liveness: Liveness;
  /** Ends all connections but that of `watch`: they may lead to a server that has lost its history. */
  startOver(): void;
  /** As `Store.useCredentials`. */
  useCredentials(urls: DatabaseUrls): boolean;
  close(): Promise<void>;
}

/** Where PostgreSQL is. */
export interface DatabaseUrls {
  url: string;
  /** If that is a pooler: PostgreSQL itself, for everything that needs a session of its own. */
  directUrl?: string | undefined;
}

export interface PoolParts extends DatabaseUrls {
  /** Whether `url` leads to a pooler in transaction mode, as `checkAddresses` finds out. */
  isPooled?: boolean;
  environment: EnvironmentName;
  sizes: PoolSizes;
  log: Log;
  /** Called with each new connection but that of `watch`, before it is used: may refuse it. */
  verify(connection: Connection): Promise<void>;
  /** Called with each new connection of `watch`, before its first poll. */
  onWatching?: (connection: Connection) => Promise<void>;
  /** For other nodes to see; the current one first. */
  masterKeyIds: readonly string[];
}

export function openPools(parts: PoolParts): Pools {
  const { environment, sizes, log, masterKeyIds, verify, isPooled = false } = parts;
  let urls: DatabaseUrls = parts;
  const liveness = new Liveness();
  const pooled = { url: urls.url, isPooled };
  const direct = { url: directUrlOf(urls) };
  function openPool(work: keyof PoolSizes, options: WorkOptions): BoundedPool {
    const name = `bellhop ${environment} ${work}`;
    const onOpened = options.onOpened ?? verify;
    const connections = sizes[work];
    return new BoundedPool({ ...options, name, connections, onOpened, liveness, log });
  }
  const pool = openPool('general', { ...GENERAL, ...pooled });
  const own = (work: keyof PoolSizes, options: WorkOptions) =>
    sizes[work] === 0 ? pool : openPool(work, options);
  const partner = own('calls', { ...PROMPT, ...pooled });
  const delivery = own('delivery', { ...DELIVERY, ...direct, session: BY_INDEX_ONLY });
  const leases = own('leases', { ...LEASES, ...direct, asksInSilence: true });
  const watch = openPool('watch', {
    ...PROMPT,
    ...direct,
    asksInSilence: true,
    session: showMasterKeys(masterKeyIds),
    onOpened: parts.onWatching ?? (async () => {}),
  });
  liveness.onMissed(() => {
    if (!liveness.isSilent) return;
    pool.discardAll();
    delivery.discardAll();
  });
  liveness.onReturned(() => {
    pool.discardIdle();
    delivery.discardIdle();
    partner.discardIdle();
    const returnedAtMs = performance.now();
    setTimeout(() => {
      pool.discardWaitingSince(returnedAtMs);
      delivery.discardWaitingSince(returnedAtMs);
    }, LATE_ANSWERS_MS).unref();
  });
  const all = new Set([pool, delivery, leases, partner, watch]);
  return {
    pool,
    delivery,
    leases,
    prompt: new PromptQueries(partner, liveness, PROMPT_ANSWER_MS),
    watch,
    liveness,
    startOver() {
      for (const one of all) if (one !== watch) one.discardAll();
    },
    useCredentials(next) {
      if (next.url === urls.url && next.directUrl === urls.directUrl) return false;
      urls = next;
      for (const one of [delivery, leases, watch]) one.useUrl(directUrlOf(next));
      for (const one of [pool, partner]) one.useUrl(next.url);
      return true;
    },
    async close() {
      await Promise.all([...all].map((one) => one.close()));
    },
  };
}

export function directUrlOf({ url, directUrl }: DatabaseUrls): string {
  return directUrl ?? url;
}
