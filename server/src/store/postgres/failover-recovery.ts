/**
 * What happens after a failover, beside the work that goes on: what was lost is stored again, everybody who keeps
 * something of the database elsewhere is told, and nodes that did not come back are named. Tried again until the
 * database has taken it. The next failover starts over with everything that is kept.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Remembered } from '../../delivery/queue.ts';
import type { Failovers } from '../store.ts';
import type { KeptWrites } from './kept-writes.ts';
import { restoreWrites, writesOf } from './restore-writes.ts';

const AGAIN_MS = 500;
/** What the database refuses for another reason than being away is given up after so many tries. */
const MOST_TRIES = 5;
/** A stop waits for so long until everything is stored again. */
const STOP_MS = 5_000;
/** By then, a node that is alive has renewed its leases on the new primary. */
const BACK_MS = 10_000;
/** How much longer ago than this node another one may have reached the old primary last. */
const HEARD_APART_MS = 5_000;

/** Their last leases ended after `$1`, as those of all nodes did that were alive. A node that stops leaves no row. */
const NOT_BACK = `
  select id, host from delivery_node
   where until > $1 and until < (extract(epoch from clock_timestamp()) * 1000)::bigint`;

export interface RecoveryParts {
  kept: KeptWrites;
  pool: Pool;
  clock: Clock;
  log: Log;
}

export class FailoverRecovery implements Failovers {
  readonly #parts: RecoveryParts;
  readonly #listeners = new Set<(silentForMs: number) => void>();
  #restoring: Promise<void> | undefined;
  #isStopped = false;
  count = 0;
  restored = 0;
  notRestored = 0;
  nodesLost = 0;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  get isRestoring(): boolean {
    return this.#restoring !== undefined;
  }

  subscribe(listener: (silentForMs: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `silentForMs`: how long ago this node read the old primary. */
  begin(remembered: readonly Remembered[], silentForMs: number): void {
    const { kept, clock } = this.#parts;
    const failover = ++this.count;
    // Kept as well: the next failover may come soon.
    for (const write of remembered.flatMap(writesOf)) kept.keep(write);
    const restoring = this.#restore(failover).finally(() => {
      if (this.#restoring === restoring) this.#restoring = undefined;
    });
    this.#restoring = restoring;
    for (const listener of this.#listeners) listener(silentForMs);
    const lastReadMs = clock.now() - silentForMs;
    clock.after(BACK_MS, () => void this.#nameLostNodes(failover, lastReadMs));
  }

  /** What this node has confirmed is stored again first, if the database lets it. */
  async stop(): Promise<void> {
    const late = new AbortController();
    await Promise.race([this.#restoring, sleep(STOP_MS, undefined, late).catch(() => {})]);
    late.abort();
    this.#isStopped = true;
  }

  async #restore(failover: number): Promise<void> {
    const { kept, pool, clock, log } = this.#parts;
    const before = kept.all();
    const parts = { pool, log, nowMs: () => clock.now() };
    for (let tries = 1; failover === this.count && !this.#isStopped; ) {
      try {
        const { restored, failures } = await restoreWrites(parts, before);
        const { events, outcomes, changes, notRestored } = restored;
        this.restored += events + outcomes + changes;
        if (events + outcomes + changes > 0) {
          log.info({ events, outcomes, changes }, 'what the failover had lost is stored again');
        }
        if (failures.length > 0 && tries++ < MOST_TRIES) throw failures[0];
        this.notRestored += notRestored + failures.length;
        for (const error of failures) {
          log.error({ err: error }, 'some of what a failover has lost cannot be stored again');
        }
        return;
      } catch (error) {
        log.warn({ err: error }, 'what a failover has lost cannot be stored again yet');
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  /** What they had confirmed last, and nobody else knew, is lost. */
  async #nameLostNodes(failover: number, lastReadMs: number): Promise<void> {
    if (failover !== this.count || this.#isStopped) return;
    const { pool, log } = this.#parts;
    const sinceMs = Math.floor(lastReadMs - HEARD_APART_MS);
    try {
      const { rows } = await pool.query<{ id: string; host: string }>(NOT_BACK, [sinceMs]);
      this.nodesLost += rows.length;
      for (const { id, host } of rows) {
        log.error(
          { node: id, host, since: new Date(sinceMs).toISOString() },
          'a node has not come back after the failover, so what only it had confirmed is lost; have events since then sent again',
        );
      }
    } catch (error) {
      log.warn({ err: error }, 'nodes that a failover has cost cannot be found');
    }
  }
}
