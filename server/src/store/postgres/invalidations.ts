/**
 * How a node learns which keys and midoffices another node changed. Five times a second it reads the changes of
 * every transaction that it may not have seen. A `seq` is assigned before the commit, so "all after the
 * last seq" would miss a slow transaction. "All from the oldest transaction that was still running at the
 * last poll" misses none, and returns some twice, which their numbers tell.
 *
 * It has a connection of its own, so that many sign-ins cannot delay it. The poll also tells the node
 * whether PostgreSQL answers, what its clock says, whether it is still the same history (history.ts), whether
 * `bellhop move` has moved the database, and which nodes have lost Redis (lone-nodes.ts).
 */
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Invalidations } from '../../gateway/keys.ts';
import { Listeners } from '../listeners.ts';
import { OF_PROCESSES } from '../move-marks.ts';
import { NoAnswer } from './connection.ts';
import type { TimeSample } from './database-clock.ts';
import type { History, SeenHistory } from './history.ts';
import type { Liveness } from './liveness.ts';
import { type Queries, within } from './prompt-queries.ts';

const POLL_MS = 200;
/** A change must reach every node within a second. After this long, cached keys are checked again. */
const TRUST_MS = 900;
/** A node without its database for longer has missed changes. */
const KEPT_MS = 24 * 3_600_000;
const PRUNE_EVERY_POLLS = 1_500;

const HIGHEST_XID = '18446744073709551615';
const since = (historyColumns: string) => `
  select ${historyColumns},
         pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
         (select coalesce(json_agg(json_build_array(seq, key_id)), '[]')
            from key_change where xid >= $1::xid8) as changes,
         (select value from meta where name = 'moved') as moved,
         (select value from meta where name = '${OF_PROCESSES.alone}') as alone`;

interface Seen extends SeenHistory {
  xmin: string;
  now: number;
  /** Each with its number, and the id of a key or a midoffice. */
  changes: [seq: number, id: string][];
  /** The mark of `bellhop move`, which did not see this node. */
  moved: string | null;
  /** The nodes that have lost Redis. */
  alone: string | null;
}

export interface PolledInvalidations extends Invalidations {
  /** When the changes were last read, on the monotonic clock. */
  readAtMs(): number;
  /** The ids of what has changed since then, from the database. */
  changedSince(ms: number): Promise<string[]>;
  stop(): void;
}

export async function watchInvalidations(parts: {
  /** For the first poll, which may take longer, and for deleting old rows. */
  pool: Queries;
  /** For all other polls. */
  prompt: Queries;
  answerMs: number;
  liveness: Liveness;
  history: History;
  clock: Clock;
  log: Log;
  /** Told what the clock of the database said. */
  onTime?: ((sample: TimeSample) => void) | undefined;
  /** Told once if the database is moved while this node runs on it. */
  onMoved?: (() => void) | undefined;
  /** Told what the database said has changed, after the listeners. */
  onChanged?: ((ids: readonly string[]) => void) | undefined;
  /** Told after each poll that has read everything. */
  onRead?: (() => void) | undefined;
  /** Told what each poll found of nodes that have lost Redis, and when. */
  onAlone?: ((alone: string | null, nowMs: number) => void) | undefined;
  /** This node may have missed changes, so nothing that it has cached is certain. */
  onMissed?: (() => Promise<void>) | undefined;
}): Promise<PolledInvalidations> {
  const { pool, prompt, answerMs, liveness, history, clock, log } = parts;
  const listeners = new Listeners();
  /** Undefined: nothing is cached yet. */
  let oldestUnseen: string | undefined;
  /** The numbers that the last poll returned. */
  let seen = new Set<number>();
  let readAt = Number.NEGATIVE_INFINITY;
  let polls = 0;
  let stopped = false;
  let failing = false;
  let isMoved = false;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;

  function ask(queries: Queries) {
    return queries.query<Seen>({
      name: 'key changes',
      text: since(history.columns),
      values: [oldestUnseen ?? HIGHEST_XID],
    });
  }

  async function look(asked: ReturnType<typeof ask>, queries: Queries): Promise<void> {
    const startedAt = clock.monotonic();
    const { rows } = await asked;
    const { xmin, now, changes, moved, alone, ...read } = rows[0] as Seen;
    parts.onTime?.({ askedMs: startedAt, answeredMs: clock.monotonic(), databaseMs: now });
    if (await history.observe(read, queries)) seen.clear();
    else if (polls > 0 && startedAt - readAt > KEPT_MS) await parts.onMissed?.();
    const ids = new Set(changes.filter(([seq]) => !seen.has(seq)).map(([, id]) => id));
    if (ids.size > 0) {
      await listeners.announce([...ids]);
      parts.onChanged?.([...ids]);
    }
    oldestUnseen = xmin;
    seen = new Set(changes.map(([seq]) => seq));
    readAt = startedAt;
    parts.onRead?.();
    parts.onAlone?.(alone, now);
    if (moved && !isMoved) parts.onMoved?.();
    isMoved = moved !== null;
    if (++polls % PRUNE_EVERY_POLLS === 0) prune();
  }

  /** Not awaited, so that it cannot delay the next poll. */
  function prune(): void {
    const text = 'delete from key_change where at < $1';
    pool.query({ text, values: [clock.now() - KEPT_MS] }).catch((error) => {
      if (!stopped)
        log.warn({ err: error }, 'old key changes cannot be deleted; trying again later');
    });
  }

  /** At once, if no poll is under way. */
  function poll(): Promise<void> {
    clearTimeout(timer);
    polling ??= pollOnce().finally(() => {
      polling = undefined;
      if (!stopped) timer = setTimeout(poll, POLL_MS).unref();
    });
    return polling;
  }

  async function pollOnce(): Promise<void> {
    const askedMs = performance.now();
    try {
      await look(within(answerMs, ask(prompt)), prompt);
      failing = false;
    } catch (error) {
      // If PostgreSQL refuses instead of staying silent, every query fails quickly by itself.
      if (error instanceof NoAnswer) liveness.missed(askedMs);
      if (!failing && !stopped) log.warn({ err: error }, 'key changes cannot be read');
      failing = true;
    }
  }

  await history.probe(pool);
  await look(ask(pool), pool);
  history.pollAgain = poll;
  timer = setTimeout(poll, POLL_MS).unref();
  return {
    isCurrent: () => clock.monotonic() - readAt < TRUST_MS,
    readAtMs: () => readAt,
    async changedSince(ms) {
      const text = 'select distinct key_id from key_change where at >= $1';
      const { rows } = await pool.query<{ key_id: string }>({ text, values: [ms] });
      return rows.map(({ key_id }) => key_id);
    },
    subscribe: listeners.subscribe,
    announce: listeners.announce,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
