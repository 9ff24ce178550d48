/**
 * A thread's connections to the database of one environment. Partners' calls and the watch for key changes
 * have connections of their own, so that slow reports and deliveries cannot use them up.
 */
import type { EnvironmentName } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import { type Connection, connectionClass } from './connection.ts';
import { Liveness } from './liveness.ts';
import { showMasterKeys } from './master-keys-in-use.ts';
import { BoundedPool } from './pool.ts';
import { PromptQueries } from './prompt-queries.ts';

/** For the back office, whose queries may be large. */
const BACK_OFFICE = {
  connections: 10,
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
  connections: 6,
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
  connections: 1,
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
const PARTNER_CONNECTIONS = 4;

export interface Pools {
  pool: BoundedPool;
  delivery: BoundedPool;
  leases: BoundedPool;
  prompt: PromptQueries;
  /** Only for the watch for key changes. */
  watch: BoundedPool;
  liveness: Liveness;
  /** A connection outside the pools. */
  newConnection(): Connection;
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
  environment: EnvironmentName;
  log: Log;
  /** For other nodes to see; the current one first. */
  masterKeyIds: readonly string[];
}

export function openPools(parts: PoolParts): Pools {
  const { environment, log, masterKeyIds } = parts;
  let urls: DatabaseUrls = parts;
  const liveness = new Liveness();
  const isPooled = urls.directUrl !== undefined;
  const shared = { name: `bellhop ${environment}`, liveness, log };
  const pooled = { ...shared, url: urls.url, isPooled };
  const direct = { ...shared, url: directUrlOf(urls) };
  const pool = new BoundedPool({ ...BACK_OFFICE, ...pooled });
  const partner = new BoundedPool({ ...PROMPT, connections: PARTNER_CONNECTIONS, ...pooled });
  const delivery = new BoundedPool({ ...DELIVERY, ...direct, session: BY_INDEX_ONLY });
  const leases = new BoundedPool({ ...LEASES, ...direct, asksInSilence: true });
  const watch = new BoundedPool({
    ...PROMPT,
    connections: 1,
    asksInSilence: true,
    session: showMasterKeys(masterKeyIds),
    ...direct,
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
  const NoticeConnection = connectionClass(
    { connectMs: BACK_OFFICE.connectMs, answerMs: BACK_OFFICE.connectMs },
    liveness,
  );
  const all = [pool, delivery, leases, partner, watch];
  return {
    pool,
    delivery,
    leases,
    prompt: new PromptQueries(partner, liveness, PROMPT_ANSWER_MS),
    watch,
    liveness,
    newConnection: () =>
      new NoticeConnection({
        connectionString: directUrlOf(urls),
        application_name: 'bellhop work notices',
      }),
    useCredentials(next) {
      if (next.url === urls.url && next.directUrl === urls.directUrl) return false;
      urls = next;
      for (const one of [pool, partner]) one.useUrl(next.url);
      for (const one of [delivery, leases, watch]) one.useUrl(directUrlOf(next));
      return true;
    },
    async close() {
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

export function directUrlOf({ url, directUrl }: DatabaseUrls): string {
  return directUrl ?? url;
}
