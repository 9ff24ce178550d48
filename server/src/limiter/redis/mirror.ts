import type { Clock } from '../../base/clock.ts';
import { readJournal } from '../journal-reader.ts';
import type { Admission, AdmissionJournal, Standing, Window } from '../limiter.ts';
import { Rings } from '../rings.ts';
import { type Loss, MirroredTally } from './mirrored-tally.ts';
import type { AgedAdmission, UsedWindow } from './windows.ts';

/**
 * What this node knows of the windows in Redis: everything it admitted itself, and what the journal
 * had when it started, and how many each window counted when Redis last said so. So it can hold its share
 * of the limits alone while Redis is away, and merge what it admitted afterwards. An admission's instant, on the node's monotonic clock and unlike any other of this
 * node, is also its id.
 */
export class RedisMirror {
  readonly tallies = new Rings((keyId, endpoint) => new MirroredTally(keyId, endpoint));
  /** Tallies with admissions that Redis may not have. */
  readonly unmerged = new Set<MirroredTally>();
  /** The epoch of the Redis that has all the others; undefined while there is none. */
  epoch: string | undefined;
  /** Undefined while Redis decides. */
  loss: Loss | undefined;
  #clock: Clock;
  #node: string;
  #lastMicros = 0;

  constructor(clock: Clock, node: string) {
    this.#clock = clock;
    this.#node = node;
  }

  /** Takes over what earlier runs admitted; the instants of this run come after theirs. */
  async read(journal: AdmissionJournal): Promise<number> {
    const lastRestatedMs = await readJournal(journal, this.tallies, this.#clock);
    for (const { ring } of this.tallies) {
      this.#lastMicros = Math.max(this.#lastMicros, Math.ceil(ring.at(ring.size - 1) * 1_000));
    }
    return lastRestatedMs;
  }

  /** Now, in milliseconds, moved on by a microsecond if that instant is taken. */
  nextInstant(): number {
    this.#lastMicros = Math.max(Math.ceil(this.#clock.monotonic() * 1_000), this.#lastMicros + 1);
    return this.#lastMicros / 1_000;
  }

  idOf(instantMs: number): string {
    return `${this.#node}.${Math.round(instantMs * 1_000).toString(36)}`;
  }

  /** What the journal keeps of an admission besides. */
  identify(tally: MirroredTally, instantMs: number): Pick<Admission, 'id' | 'epoch'> {
    const id = tally.readIdOf(instantMs) ?? this.idOf(instantMs);
    if (this.epoch === undefined || this.unmerged.has(tally)) return { id };
    return { id, epoch: this.epoch };
  }

  /** Other nodes have used these windows too. */
  hear(windows: readonly UsedWindow[]): void {
    const nowMs = this.#clock.monotonic();
    for (const { keyId, endpoint, window, counted } of windows) {
      const tally = this.tallies.ensure(keyId, endpoint);
      if (tally.ring.size === 0) tally.use(nowMs, window);
      tally.hear(counted, nowMs);
    }
  }

  /** Decides without Redis; `mustBeSaved` if the journal has to hear of it before the reply. */
  admitAlone(
    keyId: string,
    endpoint: string,
    window: Window,
    instantMs: number,
  ): { tally: MirroredTally; standing: Standing; mustBeSaved: boolean } {
    const tally = this.tallies.ensure(keyId, endpoint);
    const change = tally.use(instantMs, window);
    const nowMs = this.#clock.monotonic();
    const lone = tally.lone(this.#lossAt(nowMs));
    const admitted = lone.fits(tally.ring, nowMs);
    if (admitted) {
      tally.ring.insert(instantMs);
      tally.addUnsaved(instantMs);
      tally.addUnmerged(instantMs);
      this.unmerged.add(tally);
    }
    const standing = { ...lone.standing(tally.ring, nowMs), admitted };
    return { tally, standing, mustBeSaved: tally.mustBeSaved(admitted, change) };
  }

  standingAlone(keyId: string, endpoint: string, window: Window): Standing {
    const nowMs = this.#clock.monotonic();
    const tally = this.tallies.ensure(keyId, endpoint);
    tally.use(nowMs, window);
    return tally.lone(this.#lossAt(nowMs)).standing(tally.ring, nowMs);
  }

  /** A node that has never joined others knows of none. */
  #lossAt(nowMs: number): Loss {
    this.loss ??= { lostMs: nowMs, nodes: 1, rank: 0 };
    return this.loss;
  }

  /** The list in Redis that must have this node's admissions; empty if none matters. */
  generationOf(keyId: string, endpoint: string): string {
    const tally = this.tallies.get(keyId, endpoint);
    if (!tally || tally.ring.idle(this.#clock.monotonic())) return '';
    return tally.generation;
  }

  /** Notes what Redis decided about a request that this node sent at `instantMs`. */
  note(
    keyId: string,
    endpoint: string,
    window: Window,
    instantMs: number,
    said: { standing: Standing; generation: string },
  ): { tally: MirroredTally; mustBeSaved: boolean } {
    const { requests, seconds } = window;
    const { admitted, remaining, resetInMs } = said.standing;
    const tally = this.tallies.ensure(keyId, endpoint);
    tally.generation = said.generation;
    const change = tally.use(instantMs, window);
    tally.hear(requests - remaining, instantMs);
    if (admitted) {
      tally.ring.insert(instantMs);
      tally.addUnsaved(instantMs);
      tally.refusal = undefined;
    } else {
      const freesAtMs = this.#clock.monotonic() + resetInMs;
      tally.refusal = { requests, seconds, untilMs: instantMs + resetInMs, freesAtMs };
    }
    return { tally, mustBeSaved: tally.mustBeSaved(admitted, change) };
  }

  /** A "no" that Redis need not be asked for. */
  refusal(keyId: string, endpoint: string, window: Window): Standing | undefined {
    const refusal = this.tallies.get(keyId, endpoint)?.refusal;
    if (refusal?.requests !== window.requests || refusal.seconds !== window.seconds) return;
    const nowMs = this.#clock.monotonic();
    if (nowMs >= refusal.untilMs) return;
    return { admitted: false, remaining: 0, resetInMs: refusal.freesAtMs - nowMs };
  }

  /** A "no" was given because of what other nodes may admit by themselves, and that has changed. */
  forgetRefusals(): void {
    for (const tally of this.tallies) tally.refusal = undefined;
  }

  /** As they are merged now. */
  aged(tally: MirroredTally, instantsMs: readonly number[]): AgedAdmission[] {
    const nowMs = this.#clock.monotonic();
    return instantsMs.map((instantMs) => ({
      ageMicros: Math.max(Math.floor((nowMs - instantMs) * 1_000), 0),
      id: tally.readIdOf(instantMs) ?? this.idOf(instantMs),
    }));
  }
}
