/**
 * Which history of the database this node has read. After a failover to a replica that lagged, the new primary lacks
 * the last transactions of the old one, and gives out their numbers a second time. So whatever a node believes holds
 * for one history only: its shards, its cached keys, what it has settled.
 *
 * A history has an id, in `meta`, and the server that wrote it: the cluster's identifier and the timeline, which every
 * promotion changes. The first node that meets another server than the one named there begins a new history, before
 * any node may write: it gives it an id, makes every epoch void, and lets the numbers of deliveries jump ahead of all
 * that the lost history can have given out. Every connection that accepts, delivers or holds leases is compared with the
 * history that this node has read, so a node that was frozen or cut off meanwhile cannot write with what it remembers.
 * Those through a pooler cannot be compared; nothing is settled or numbered over them.
 *
 * A restart of PostgreSQL is the same history if this node watched it: the log did not get shorter.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { DatabaseAway } from '../../base/database-errors.ts';
import type { Log } from '../../base/log.ts';
import { EPOCHS_PER_MS } from '../queue/restore-shards.ts';
import { type Queries, within } from './prompt-queries.ts';

/** How long a new connection waits for a poll that finds out where it leads. */
const DOUBT_MS = 2_000;
/** A node that has not read for longer cannot tell a restart from a restored copy. */
const WATCHED_MS = 10 * 60_000;
/**
 * After a failover nobody delivers for this long, so that all nodes first store again what was lost: the events of an
 * order keep their order, and nothing is sent twice whose outcome some node remembers.
 */
export const RESTORING_MS = 4_000;
/**
 * Numbers continue from the clock, so that two replicas which were promoted one after the other give out different
 * ones. A delivery's id has at most 15 digits until the year 2286, and nobody accepts 100,000 events a second.
 */
const DELIVERIES_PER_MS = 100;
const FEWEST_SKIPPED = 1_000_000;

const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const STARTED = 'extract(epoch from pg_postmaster_start_time())::text';

/** To be selected in a statement of its own or with others. `server` is null on a standby. */
const READ_EXACTLY = `
  case when pg_is_in_recovery() then null
       else (select system_identifier::text from pg_control_system()) || ' '
            || left(pg_walfile_name(pg_current_wal_lsn()), 8) end as server,
  case when pg_is_in_recovery() then null
       else (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::text end as log_end,
  ${STARTED} as started,
  (select value from meta where name = 'history') as history`;

/** For services that refuse those functions: every restart is taken for a failover. */
const READ_ROUGHLY = `
  case when pg_is_in_recovery() then null else 'started ' || ${STARTED} end as server,
  '0' as log_end, ${STARTED} as started,
  (select value from meta where name = 'history') as history`;

/** Insufficient privilege, unknown function, not supported. */
const REFUSED = ['42501', '42883', '0A000'];

/** Holds the shards while nodes restore; no node has this id. */
const NOBODY = 'restoring';

/** The mark is set by whoever is first; `$2` is what it replaces, and `$3` whether there was a history before. */
const BEGIN = `
  with marked as (
    insert into meta (name, value) values ('history', $1)
    on conflict (name) do update set value = $1 where meta.value = $2
    returning name
  ), freed as (
    update shard set epoch = greatest(epoch + 1, ${NOW_MS} * ${EPOCHS_PER_MS}),
           node = '${NOBODY}', until = ${NOW_MS} + ${RESTORING_MS}, in_flight = 0
     where $3::boolean and exists (select from marked)
    returning n
  ), skipped as (
    select setval(pg_get_serial_sequence('delivery', 'seq'),
                  greatest(last_value + ${FEWEST_SKIPPED}, ${NOW_MS} * ${DELIVERIES_PER_MS}))
      from delivery_seq_seq where $3::boolean and exists (select from marked)
  )
  select (select count(*) from marked) as marked, (select count(*) from freed) as freed,
         (select count(*) from skipped) as skipped`;

export interface SeenHistory {
  server: string | null;
  /** The end of PostgreSQL's log, in bytes since its beginning. */
  log_end: string | null;
  started: string;
  /** The mark, as JSON; null before the first. */
  history: string | null;
}

interface Mark {
  id: string;
  server: string;
}

interface Known extends Mark {
  started: string;
  logEnd: bigint;
  readAtMs: number;
}

/** What is known when a node has found itself in another history. */
export interface Failover {
  /** How long ago this node last read the history that is lost. */
  silentForMs: number;
}

export interface HistoryParts {
  clock: Clock;
  log: Log;
  /** Gives up what this node knows. Until it has resolved, no connection leads to the new history. */
  onFailover(failover: Failover): Promise<void>;
  /** Ends the connection over which polls are made: it may lead to a primary that is not one any more. */
  watchAnew(): void;
}

export class History {
  readonly #parts: HistoryParts;
  #known: Known | undefined;
  #isRough = false;
  /** Ids of histories that this node has left. */
  readonly #left = new Set<string>();
  /** The next poll, or the one under way: so nothing that a poll waits for may wait for this without a limit. */
  pollAgain: () => Promise<void> = async () => {};

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** Columns for a select list, of which `SeenHistory` is the row. */
  get columns(): string {
    return this.#isRough ? READ_ROUGHLY : READ_EXACTLY;
  }

  /** Before the first read: whether this PostgreSQL lets us ask who it is. */
  async probe(queries: Queries): Promise<void> {
    try {
      await queries.query({ text: `select ${READ_EXACTLY}` });
    } catch (error) {
      if (!REFUSED.includes((error as { code?: string }).code ?? '')) throw error;
      this.#isRough = true;
      this.#parts.log.warn(
        { err: error },
        'PostgreSQL does not tell its timeline, so each restart of it is taken for a failover',
      );
    }
  }

  /** For each new connection: throws unless it leads to the history that this node has read. */
  async verify(queries: Queries): Promise<void> {
    if (!this.#known || (await this.#isKnown(queries))) return;
    await within(DOUBT_MS, this.pollAgain());
    if (await this.#isKnown(queries)) return;
    this.#parts.watchAnew();
    throw new DatabaseAway('this is not the history of PostgreSQL that was read');
  }

  async #isKnown(queries: Queries): Promise<boolean> {
    const seen = await this.#read(queries);
    const known = this.#known as Known;
    const isServer = seen.server === known.server && seen.started === known.started;
    return isServer && markOf(seen)?.id === known.id;
  }

  async #read(queries: Queries): Promise<SeenHistory> {
    const { rows } = await queries.query<SeenHistory>({ text: `select ${this.columns}` });
    return rows[0] as SeenHistory;
  }

  /**
   * With what a poll has read: begins a new history if it must, and gives up what this node knew if that is void.
   * Returns whether it did. Nothing may be read as current before this has resolved.
   */
  async observe(seen: SeenHistory, queries: Queries): Promise<boolean> {
    const { server, started } = seen;
    const { clock, log } = this.#parts;
    if (server === null) throw new DatabaseAway('PostgreSQL is a standby');
    const known = this.#known;
    const logEnd = BigInt(seen.log_end ?? 0);
    const mark = markOf(seen);
    // A history that was left and is back, as an old primary would be, has missed what came after it.
    if (mark?.server !== server || this.#left.has(mark.id)) return this.#begin(seen, queries);
    if (known && mark.id === known.id && started !== known.started) {
      const wasWatched = clock.monotonic() - known.readAtMs < WATCHED_MS;
      if (!wasWatched || logEnd < known.logEnd) return this.#begin(seen, queries);
    }
    const isOther = known !== undefined && known.id !== mark.id;
    if (isOther) {
      // At least: the new primary has written some of its own by now.
      const lost_log_bytes = Math.max(Number(known.logEnd - logEnd), 0);
      log.warn(
        { lost_log_bytes },
        'PostgreSQL has failed over or was restored; this node gives up its shards and caches and reads again',
      );
      await this.#parts.onFailover({ silentForMs: clock.monotonic() - known.readAtMs });
      this.#left.add(known.id);
    }
    this.#known = { ...mark, started, logEnd, readAtMs: clock.monotonic() };
    return isOther;
  }

  /** Reads again afterwards: another node may have been faster. */
  async #begin({ server, history }: SeenHistory, queries: Queries): Promise<boolean> {
    const mark = JSON.stringify({ id: randomUUID(), server });
    const wasThere = history !== null || this.#known !== undefined;
    await queries.query({ text: BEGIN, values: [mark, history ?? '', wasThere] });
    return this.observe(await this.#read(queries), queries);
  }
}

function markOf({ history }: SeenHistory): Mark | undefined {
  return history === null ? undefined : (JSON.parse(history) as Mark);
}
