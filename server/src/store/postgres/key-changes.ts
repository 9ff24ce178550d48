/**
 * How a node learns of keys changed elsewhere. It asks five times a second for the changes of every
 * transaction that it may not have seen: `seq` is handed out before the commit, so "all after the
 * last seq" would miss a slow transaction; "all from the oldest transaction that was still running
 * when I last looked" misses none, and sees some twice, which does no harm.
 *
 * It has a connection of its own, so that no storm of sign-ins holds it up, and is also how the node
 * learns that PostgreSQL has stopped answering and that it is back.
 */
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { KeyChanges } from '../../partner-api/keys.ts';
import { Listeners } from '../listeners.ts';
import { NoAnswer } from './connection.ts';
import type { Heartbeat } from './liveness.ts';
import { type Queries, within } from './prompt-queries.ts';

const POLL_MS = 200;
/** A change must reach every node within a second; what was read longer ago is asked again. */
const TRUST_MS = 900;
const KEPT_MS = 600_000;
const PRUNE_EVERY_POLLS = 1_500;

const SINCE = `
  select pg_snapshot_xmin(pg_current_snapshot())::text as xmin,
         (select coalesce(array_agg(distinct key_id), '{}') from key_change where xid >= $1::xid8) as keys`;

export async function watchKeyChanges(parts: {
  /** For the first look, which may take its time. */
  patient: Queries;
  /** For all others. */
  prompt: Queries;
  answerMs: number;
  heartbeat: Heartbeat;
  clock: Clock;
  log: Log;
}): Promise<KeyChanges & { stop(): void }> {
  const { patient, prompt, answerMs, heartbeat, clock, log } = parts;
  const listeners = new Listeners();
  let oldestUnseen = '0';
  let readAt = Number.NEGATIVE_INFINITY;
  let polls = 0;
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;

  function ask(queries: Queries) {
    return queries.query<{ xmin: string; keys: string[] }>({
      name: 'key changes',
      text: SINCE,
      values: [oldestUnseen],
    });
  }

  async function look(asked: ReturnType<typeof ask>): Promise<void> {
    const startedAt = clock.monotonic();
    const { rows } = await asked;
    const { xmin, keys } = rows[0] as { xmin: string; keys: string[] };
    oldestUnseen = xmin;
    if (keys.length > 0) await listeners.announce(keys);
    readAt = startedAt;
    if (++polls % PRUNE_EVERY_POLLS === 0) prune();
  }

  /** Not waited for: the next poll must not be late because of it. */
  function prune(): void {
    const text = 'delete from key_change where at < $1';
    patient.query({ text, values: [clock.now() - KEPT_MS] }).catch((error) => {
      if (!stopped) log.warn({ err: error }, 'old key changes cannot be deleted yet');
    });
  }

  async function poll(): Promise<void> {
    const askedMs = performance.now();
    try {
      await look(within(answerMs, ask(prompt)));
      failing = false;
    } catch (error) {
      // A PostgreSQL that refuses need not be waited for: each query finds out by itself.
      if (error instanceof NoAnswer) heartbeat.missed(askedMs);
      if (!failing && !stopped) log.warn({ err: error }, 'key changes cannot be read');
      failing = true;
    }
    if (!stopped) timer = setTimeout(poll, POLL_MS).unref();
  }

  await look(ask(patient));
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
