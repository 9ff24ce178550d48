/**
 * What happens after a failover, beside the work that goes on: what was lost is stored again, and everybody who keeps
 * something of the database elsewhere is told. Tried again until the database has taken it, or the next failover.
 */
import type { Pool } from 'pg';
import type { Clock } from '../../clock.ts';
import type { Remembered } from '../../delivery/queue.ts';
import type { Log } from '../../log.ts';
import type { Failovers } from '../store.ts';
import type { KeptWrites } from './kept-writes.ts';
import { restoreWrites } from './restore-writes.ts';

const AGAIN_MS = 500;
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
  readonly #listeners = new Set<() => void>();
  #latest = 0;
  #isStopped = false;
  count = 0;
  restored = 0;
  notRestored = 0;
  nodesLost = 0;
  isRestoring = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `lastReadMs`: when this node last read the old primary, on the database's clock. */
  begin(remembered: readonly Remembered[], lastReadMs: number): void {
    this.count++;
    const failover = ++this.#latest;
    const before = this.#parts.kept.all();
    void this.#restore(failover, before, {
      due: remembered.flatMap(({ due }) => due),
      outcomes: remembered.flatMap(({ outcomes }) => outcomes),
    });
    for (const listener of this.#listeners) listener();
    this.#parts.clock.after(BACK_MS, () => void this.#nameLostNodes(failover, lastReadMs));
  }

  /** What they had confirmed last, and nobody else knew, is lost. */
  async #nameLostNodes(failover: number, lastReadMs: number): Promise<void> {
    if (failover !== this.#latest || this.#isStopped) return;
    const { pool, log } = this.#parts;
    try {
      const { rows } = await pool.query<{ id: string; host: string }>(NOT_BACK, [
        Math.floor(lastReadMs - HEARD_APART_MS),
      ]);
      this.nodesLost += rows.length;
      for (const { id, host } of rows) {
        log.error(
          { node: id, host, since: new Date(lastReadMs - HEARD_APART_MS).toISOString() },
          'a node has not come back after the failover, so what only it had confirmed is lost; have events since then sent again',
        );
      }
    } catch (error) {
      log.warn({ err: error }, 'nodes that a failover has cost cannot be found');
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #restore(
    failover: number,
    before: ReturnType<KeptWrites['all']>,
    remembered: Remembered,
  ): Promise<void> {
    const { pool, clock, log } = this.#parts;
    this.isRestoring = true;
    while (failover === this.#latest && !this.#isStopped) {
      try {
        const parts = { pool, log, nowMs: () => clock.now() };
        const { notRestored, ...restored } = await restoreWrites(parts, before, remembered);
        this.restored += restored.events + restored.outcomes + restored.changes;
        this.notRestored += notRestored;
        const facts = { ...restored, not_restored: notRestored };
        if (Object.values(facts).some((count) => count > 0)) {
          log.info(facts, 'what the failover had lost is stored again');
        }
        this.isRestoring = false;
        return;
      } catch (error) {
        log.warn({ err: error }, 'what a failover has lost cannot be stored again yet');
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      }
    }
  }
}
