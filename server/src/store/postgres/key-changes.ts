/**
 * How a node learns of keys changed elsewhere. It asks five times a second for the changes of every
 * transaction that it may not have seen: `seq` is handed out before the commit, so "all after the
 * last seq" would miss a slow transaction; "all from the oldest transaction that was still running
 * when I last looked" misses none, and sees some twice, which does no harm.
 */
import type { Pool } from 'pg';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { KeyChanges } from '../../partner-api/keys.ts';
import { Listeners } from '../listeners.ts';

const POLL_MS = 200;
/** A change must reach every node within a second; what was read longer ago than this is asked anew. */
const TRUST_MS = 900;
const KEPT_MS = 600_000;
const PRUNE_EVERY_POLLS = 1_500;

const SINCE = `
  select pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
         (select coalesce(array_agg(distinct key_id), '{}') from key_change where xid >= $1::xid8) as keys`;

export async function watchKeyChanges(
  pool: Pool,
  clock: Clock,
  log: Log,
): Promise<KeyChanges & { stop(): void }> {
  const listeners = new Listeners();
  let oldestUnseen = '0';
  let readAt = Number.NEGATIVE_INFINITY;
  let polls = 0;
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const startedAt = clock.monotonic();
    const { rows } = await pool.query<{ xmin: string; keys: string[] }>({
      name: 'key changes',
      text: SINCE,
      values: [oldestUnseen],
    });
    const { xmin, keys } = rows[0] as { xmin: string; keys: string[] };
    oldestUnseen = xmin;
    if (keys.length > 0) await listeners.announce(keys);
    readAt = startedAt;
    if (++polls % PRUNE_EVERY_POLLS === 0) {
      await pool.query('delete from key_change where at < $1', [clock.now() - KEPT_MS]);
    }
  }

  async function poll(): Promise<void> {
    try {
      await look();
      failing = false;
    } catch (error) {
      if (!failing && !stopped) log.warn({ err: error }, 'key changes cannot be read');
      failing = true;
    }
    if (!stopped) timer = setTimeout(poll, POLL_MS).unref();
  }

  await look();
  timer = setTimeout(poll, POLL_MS).unref();
  return {
    isCurrent: () => clock.monotonic() - readAt < TRUST_MS,
    subscribe: listeners.subscribe,
    announce: listeners.announce,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
