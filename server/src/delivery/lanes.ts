/** The lanes of this node. Idle ones are kept, up to a limit, as a cache of their midoffices. */
import type { Clock } from '../base/clock.ts';
import { Lane, type Memory } from './lane.ts';
import { shardOf } from './queue.ts';
import type { Due } from './stages.ts';

/** Each takes one or two kilobytes. After its lane was dropped, a midoffice is read again at its next event. */
const KEPT_LANES = 10_000;

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #memory: Memory = { rows: 0, reads: 0 };
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When this node gained each shard. */
  readonly #ownedSinceMs = new Map<number, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Rows waiting in memory, in all lanes. */
  get queuedRows(): number {
    return this.#memory.rows;
  }

  /** Counts reads of the table. A higher number later means that the table was read in between. */
  get reads(): number {
    return this.#memory.reads;
  }

  get all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  /** What is in memory, queued or in flight. */
  get known(): Due[] {
    return [...this.#lanes.values()].flatMap((lane) => lane.known);
  }

  get(midofficeId: string): Lane | undefined {
    return this.#lanes.get(midofficeId);
  }

  of(midofficeId: string): Lane {
    let lane = this.#lanes.get(midofficeId);
    if (!lane) {
      const shard = shardOf(midofficeId);
      const ownedSinceMs = this.#ownedSinceMs.get(shard) ?? this.#clock.monotonic();
      lane = new Lane(midofficeId, shard, this.#memory, ownedSinceMs);
      this.#lanes.set(midofficeId, lane);
      if (this.#lanes.size > KEPT_LANES) this.#dropOldest();
    }
    return lane;
  }

  /** `ids` are those of midoffices or of signing keys. */
  concernedBy(ids: ReadonlySet<string>): Lane[] {
    return [...this.#lanes.values()].filter(
      ({ midofficeId, config }) =>
        ids.has(midofficeId) || (config !== undefined && ids.has(config.signingKey.key_id)),
    );
  }

  /** This node has gained these shards, or has them again after a lapse. Returns the lanes that it has in them. */
  gained(shards: readonly number[]): Lane[] {
    const nowMs = this.#clock.monotonic();
    for (const shard of shards) this.#ownedSinceMs.set(shard, nowMs);
    const ours = new Set(shards);
    const lanes = [...this.#lanes.values()].filter(({ shard }) => ours.has(shard));
    for (const lane of lanes) lane.gained(nowMs);
    return lanes;
  }

  drop(shards: ReadonlySet<number>): void {
    for (const lane of this.#lanes.values()) {
      if (!shards.has(lane.shard)) continue;
      lane.drop();
      this.#lanes.delete(lane.midofficeId);
    }
  }

  /** Drops the oldest lane if it is idle. Otherwise it moves to the end, and the next one is tried. */
  #dropOldest(): void {
    const [oldest] = this.#lanes.values();
    if (!oldest) return;
    this.#lanes.delete(oldest.midofficeId);
    if (!oldest.isIdle(this.#clock.monotonic())) this.#lanes.set(oldest.midofficeId, oldest);
  }
}
