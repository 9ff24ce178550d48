/**
 * Who decides: this node by itself, or Redis for all nodes.
 *
 *              Redis reached            all merged
 *      alone ────────────────→ merging ────────────→ shared
 *        ↑                        │                    │
 *        └──────── Redis lost ────┴────────────────────┘
 *
 * Redis decides while merging too, but may still lack some of what this node admitted alone. In both it may turn out
 * that Redis has lost data: then requests wait while it is told again (`resynced`), and after that all is as before.
 */
import { type Clock, repeat, type Timer } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { RedisFailures } from './failures.ts';
import type { LinkEvents } from './link.ts';
import type { RedisLoneNodes } from './lone-nodes.ts';
import { BEAT_EVERY_MS, type RedisMembership } from './membership.ts';
import type { RedisMirror } from './mirror.ts';
import type { RedisResync } from './resync.ts';
import type { ToldWindows } from './told-windows.ts';

export interface AuthorityParts {
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  membership: RedisMembership;
  mirror: RedisMirror;
  resync: RedisResync;
  told: ToldWindows;
  failures: RedisFailures;
  loneNodes: RedisLoneNodes;
  /** Told each time that `trouble` begins or ends. */
  onTrouble: ((trouble: string | undefined) => void) | undefined;
}

export class RedisAuthority implements LinkEvents {
  readonly #parts: AuthorityParts;
  isAlone = true;
  /** Set while Redis is told again what it has lost. */
  resynced: Promise<void> | undefined;
  /** From the loss of Redis until it decides again. There is none before the first attempt to connect has ended. */
  trouble: string | undefined;
  /** Set while shared. */
  #beats: Timer | undefined;
  #isLateReported = false;

  constructor(parts: AuthorityParts) {
    this.#parts = parts;
  }

  /** A new connection stands. */
  async prepare(): Promise<void> {
    const { resync } = this.#parts;
    await resync.greet();
    const epoch = await resync.join();
    this.isAlone = false;
    this.#isLateReported = false;
    await this.#mergeRest(epoch);
    await this.#hearAgain();
    await this.#beat();
    while (this.resynced) await this.resynced;
    if (!this.isAlone) this.#becomeShared();
  }

  lost(reason: string): void {
    const { mirror, loneNodes, log, onTrouble } = this.#parts;
    const isNews = this.trouble === undefined;
    this.#decideAlone();
    mirror.epoch = undefined;
    loneNodes.begin();
    this.trouble = `Redis is out of reach (${reason}): this node holds the limits by itself until Redis is back.`;
    if (!isNews) return;
    log.warn({ reason }, this.trouble);
    onTrouble?.(this.trouble);
  }

  /** Redis did not decide in time. For that request, this node does. */
  late(error: Error): void {
    const { log, loneNodes } = this.#parts;
    if (!this.isAlone && !this.#isLateReported) {
      this.#isLateReported = true;
      log.warn(
        { reason: error.message },
        'Redis has not been told in time what it had forgotten: this node decides by itself meanwhile.',
      );
    }
    loneNodes.begin();
  }

  /** Redis has fenced this node off, because it has lost what it knew of it. */
  resync(): Promise<void> {
    const { mirror, resync, log } = this.#parts;
    if (this.isAlone) return Promise.reject(new Error('Redis is lost.'));
    if (this.resynced) return this.resynced;
    log.warn({}, 'Redis has forgotten the windows of limits: it is told again what was let in.');
    this.#isLateReported = false;
    mirror.epoch = undefined;
    const resynced = resync
      .join()
      .then((epoch) => this.#mergeRest(epoch))
      .then(() => this.#hearAgain())
      .finally(() => {
        if (this.resynced === resynced) this.resynced = undefined;
      });
    this.resynced = resynced;
    // Requests that wait for it get its failure; there may be none.
    resynced.catch(() => {});
    return resynced;
  }

  /** The other nodes need not wait for this one any more. Whether Redis decided until now. */
  async leave(): Promise<boolean> {
    const { loneNodes, membership } = this.#parts;
    const wasJoined = !this.isAlone;
    this.#decideAlone();
    loneNodes.end();
    if (wasJoined) await membership.leave().catch(() => {});
    return wasJoined;
  }

  #decideAlone(): void {
    this.#beats?.cancel();
    this.#beats = undefined;
    this.resynced = undefined;
    this.isAlone = true;
  }

  #becomeShared(): void {
    const { clock, log, onTrouble } = this.#parts;
    // A failed beat is not the end: if Redis is lost, the link says so.
    this.#beats = repeat(clock, BEAT_EVERY_MS, () => this.#beat().catch(() => {}));
    this.#isLateReported = false;
    if (this.trouble === undefined) return;
    this.trouble = undefined;
    log.info({}, 'Redis is back: the limits are shared again.');
    onTrouble?.(undefined);
  }

  /** Says that this node is there, and merges what is left. */
  async #beat(): Promise<void> {
    if (this.resynced) return this.resynced;
    const { membership, told, failures, mirror, loneNodes } = this.#parts;
    const [isMember, windows] = await Promise.all([
      membership.beat(),
      told.hear(),
      failures.hear(),
    ]);
    mirror.hear(windows);
    loneNodes.hear();
    if (!isMember) await this.resync();
    else if (mirror.unmerged.size > 0) await this.#mergeRest(mirror.epoch);
    // It was only late for some window.
    else if (mirror.loss && this.#beats && !this.resynced) loneNodes.end();
  }

  /** While that is under way, the journal must not take anything for known to Redis. */
  async #mergeRest(epoch: string | undefined): Promise<void> {
    const { mirror, resync } = this.#parts;
    mirror.epoch = undefined;
    await resync.mergeRest();
    mirror.epoch = epoch;
  }

  /** All nodes have merged. From here on Redis decides, and what others told before has to be heard too. */
  async #hearAgain(): Promise<void> {
    const { told, mirror, loneNodes } = this.#parts;
    told.startAgain();
    mirror.hear(await told.hear());
    loneNodes.end();
  }
}
