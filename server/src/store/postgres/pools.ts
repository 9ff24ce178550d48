/**
 * A thread's connections to the database of one environment. What a partner's call waits for has a
 * few of its own, so that slow reports and deliveries cannot use them up, and so has the watch for
 * key changes.
 */
import type { EnvironmentName } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import { type Connection, connectionClass } from './connection.ts';
import { Heartbeat } from './liveness.ts';
import { BoundedPool } from './pool.ts';
import { PromptQueries } from './prompt-queries.ts';

/** For the back office, which may ask for much at a time. */
const PATIENT = {
  connections: 10,
  waitMs: 3_000,
  connectMs: 2_000,
  answerMs: 35_000,
  statementMs: 30_000,
};

/**
 * For accepting and delivering. Everything there is found by an index. The planner is told so because
 * its statistics are always of before the storm: told that next to nothing is pending, it reads all
 * that is and sorts it.
 */
const DELIVERY = {
  connections: 6,
  waitMs: 3_000,
  connectMs: 2_000,
  answerMs: 5_000,
  statementMs: 5_000,
};
const BY_INDEX_ONLY = `
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set jit = off`;

/** For the leases of shards alone: a node whose renewal waits for a lost answer would lose them all. */
const LEASES = {
  connections: 1,
  waitMs: 1_000,
  connectMs: 1_000,
  answerMs: 1_000,
  statementMs: 1_000,
};

/** After a question was missed, those asked before have this long to be answered after all. */
const LATE_ANSWERS_MS = 1_000;

/**
 * For what a partner's call waits for. A call must be answered within a second, also when the next
 * poll for key changes, up to 0.2 s later, is what finds out that PostgreSQL is gone.
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
  /** For the watch alone. */
  watch: BoundedPool;
  heartbeat: Heartbeat;
  /** One outside of the pools. */
  newConnection(): Connection;
  close(): Promise<void>;
}

export function openPools(parts: { url: string; environment: EnvironmentName; log: Log }): Pools {
  const { url, environment, log } = parts;
  const heartbeat = new Heartbeat();
  const shared = { url, name: `bellhop ${environment}`, heartbeat, log };
  const pool = new BoundedPool({ ...PATIENT, ...shared });
  const delivery = new BoundedPool({ ...DELIVERY, ...shared, session: BY_INDEX_ONLY });
  const leases = new BoundedPool({ ...LEASES, ...shared, asksInSilence: true });
  const partner = new BoundedPool({ ...PROMPT, connections: PARTNER_CONNECTIONS, ...shared });
  const watch = new BoundedPool({ ...PROMPT, connections: 1, asksInSilence: true, ...shared });
  heartbeat.onMissed(() => {
    if (!heartbeat.isSilent) return;
    pool.discardAll();
    delivery.discardAll();
  });
  heartbeat.onReturned(() => {
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
    { connectMs: PATIENT.connectMs, answerMs: PATIENT.connectMs },
    heartbeat,
  );
  return {
    pool,
    delivery,
    leases,
    prompt: new PromptQueries(partner, heartbeat, PROMPT_ANSWER_MS),
    watch,
    heartbeat,
    newConnection: () =>
      new NoticeConnection({ connectionString: url, application_name: 'bellhop work notices' }),
    async close() {
      await Promise.all([pool, delivery, leases, partner, watch].map((one) => one.close()));
    },
  };
}
