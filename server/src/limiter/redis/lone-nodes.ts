/**
 * What nodes do for each other when some of them have lost Redis. Such a node says so in the database, again and again,
 * with its share of each window. The nodes that still have Redis leave that share free. Without a database that they
 * share, or with one that is away too, nobody hears of it.
 */
import { type Clock, repeat, type Timer } from '../../base/clock.ts';
import { LONE_TOLD_EVERY_MS, type LoneNode, type LoneNodes } from '../limiter.ts';
import { reservedFor } from './lone-window.ts';
import type { RedisMembership } from './membership.ts';
import type { RedisMirror } from './mirror.ts';
import type { Reserved } from './windows.ts';

export class RedisLoneNodes {
  #clock: Clock;
  #membership: RedisMembership;
  #mirror: RedisMirror;
  #board: LoneNodes | undefined;
  #heard: readonly LoneNode[] | undefined;
  #others: readonly LoneNode[] = [];
  #telling: Timer | undefined;

  /** Nodes that share no database have no `board`. */
  constructor(
    clock: Clock,
    membership: RedisMembership,
    mirror: RedisMirror,
    board: LoneNodes | undefined,
  ) {
    this.#clock = clock;
    this.#membership = membership;
    this.#mirror = mirror;
    this.#board = board;
  }

  /** From here on this node decides by itself. */
  begin(): void {
    if (this.#mirror.loss) return;
    const share = this.#membership.share(this.#board?.heard() ?? []);
    this.#mirror.loss = { lostMs: this.#clock.monotonic(), ...share };
    const { admits, node: name } = this.#membership;
    const board = this.#board;
    // A node that knows of no others would keep whole windows from them.
    if (!board || !admits || share.nodes === 1) return;
    // If the database is away too, the others cannot hear of it.
    const tell = () => board.tell({ name, ...share }).catch(() => {});
    this.#telling = repeat(this.#clock, LONE_TOLD_EVERY_MS, tell);
    tell();
  }

  end(): void {
    this.#mirror.loss = undefined;
    if (!this.#telling) return;
    this.#telling.cancel();
    this.#telling = undefined;
    this.#board?.untell(this.#membership.node).catch(() => {});
  }

  /** Which of the others are alone now. */
  hear(): void {
    const heard = this.#board?.heard();
    if (heard === this.#heard) return;
    this.#heard = heard;
    this.#others = (heard ?? []).filter(({ name }) => name !== this.#membership.node);
    this.#mirror.forgetRefusals();
  }

  /** What Redis must leave to them. */
  readonly reserved: Reserved = (keyId, { requests }) => reservedFor(this.#others, keyId, requests);
}
