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
  isRestoring = false;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  begin(remembered: readonly Remembered[]): void {
    this.count++;
    const before = this.#parts.kept.all();
    void this.#restore(++this.#latest, before, {
      due: remembered.flatMap(({ due }) => due),
      outcomes: remembered.flatMap(({ outcomes }) => outcomes),
    });
    for (const listener of this.#listeners) listener();
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
