/** The lanes of this node. Those without work are kept, up to a number, for their midoffices' sake. */
import { Lane, type Memory } from './lane.ts';
import { shardOf } from './queue.ts';

/** Each takes a kilobyte or two; a midoffice whose lane was dropped is read again at its next event. */
const KEPT_LANES = 10_000;

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #memory: Memory = { rows: 0, reads: 0 };

  /** Rows that wait in memory. */
  get queuedRows(): number {
    return this.#memory.rows;
  }

  /** Reads of the table so far: a later number means that the table was read since. */
  get reads(): number {
    return this.#memory.reads;
  }

  get all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  get(midofficeId: string): Lane | undefined {
    return this.#lanes.get(midofficeId);
  }

  of(midofficeId: string): Lane {
    let lane = this.#lanes.get(midofficeId);
    if (!lane) {
      lane = new Lane(midofficeId, shardOf(midofficeId), this.#memory);
      this.#lanes.set(midofficeId, lane);
      if (this.#lanes.size > KEPT_LANES) this.#dropOldest();
    }
    return lane;
  }

  /** Midoffices, or keys that some of them sign with. */
  concernedBy(ids: ReadonlySet<string>): Lane[] {
    return [...this.#lanes.values()].filter(
      ({ midofficeId, config }) =>
        ids.has(midofficeId) || (config !== undefined && ids.has(config.signingKey.keyId)),
    );
  }

  drop(shards: ReadonlySet<number>): void {
    for (const lane of this.#lanes.values()) {
      if (!shards.has(lane.shard)) continue;
      lane.drop();
      this.#lanes.delete(lane.midofficeId);
    }
  }

  /** The oldest goes if it has nothing to do; otherwise it counts as new, and the next is looked at. */
  #dropOldest(): void {
    const [oldest] = this.#lanes.values();
    if (!oldest) return;
    this.#lanes.delete(oldest.midofficeId);
    if (!oldest.isIdle) this.#lanes.set(oldest.midofficeId, oldest);
  }
}
