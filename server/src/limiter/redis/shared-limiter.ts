/**
 * The limiter that all nodes share. It promises what every limiter does, for all nodes together: one script in Redis
 * decides, on Redis's clock.
 *
 *     request ─→ refused a moment ago? ─→ Redis decides ─→ noted in the mirror ─→ reply
 *                                         or, while it is away, this node     ─→ saved ─→ reply
 *
 * The mirror holds what this node admitted and heard. While Redis is away, the node goes on from there and keeps to its
 * share of each limit (lone-window.ts). When Redis is back, it merges what it admitted meanwhile (resync.ts). Each
 * admission has an id, so Redis counts it once, however often it is merged. authority.ts knows who decides at the moment.
 *
 * The journal keeps admissions to long windows for the next run of this node, which may have to begin alone. It has them
 * before the reply while Redis is away, otherwise soon after.
 */
import { type Clock, repeat } from '../../base/clock.ts';
import type { Outage } from '../../base/database-errors.ts';
import type { Log } from '../../base/log.ts';
import { JournalWriter, PRUNE_EVERY_MS } from '../journal-writer.ts';
import {
  type AdmissionJournal,
  type Limiter,
  type Standing,
  standingsBy,
  type Window,
} from '../limiter.ts';
import { sweepIdle } from '../rings.ts';
import { RedisAuthority } from './authority.ts';
import { RedisFailures } from './failures.ts';
import { RedisLink } from './link.ts';
import { RedisLoneNodes } from './lone-nodes.ts';
import { RedisMembership } from './membership.ts';
import { RedisMirror } from './mirror.ts';
import type { MirroredTally } from './mirrored-tally.ts';
import { RedisResync } from './resync.ts';
import { ToldWindows } from './told-windows.ts';
import { type Answer, type Decision, nodesKey, type Question, RedisWindows } from './windows.ts';

/** A request waits this long for a resync; after that the node decides alone. */
const LONGEST_RESYNC_MS = 2_000;

export async function createRedisLimiter(options: {
  url: string;
  /**
   * Sets these windows apart from all others in the same Redis, such as `bellhop:{sandbox}`. In a cluster, keys with the
   * same text in braces are on one server, which our scripts need.
   */
  prefix: string;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  /** Without one, only Redis and the other nodes know what this process admitted. */
  journal?: AdmissionJournal;
  /** Of the journal's database. */
  outage?: Outage;
  /** Whether this node admits calls, or only looks at the limits. */
  admits?: boolean;
  /** Told each time that `trouble()` begins or ends. */
  onTrouble?: (trouble: string | undefined) => void;
}): Promise<Limiter> {
  const { url, prefix, clock, log, journal, outage, admits = true, onTrouble } = options;
  const link: RedisLink = new RedisLink(url, nodesKey(prefix), clock, {
    prepare: () => authority.prepare(),
    lost: (reason) => authority.lost(reason),
  });
  const membership = new RedisMembership(link, prefix, admits);
  const failures = new RedisFailures(link, prefix);
  const mirror = new RedisMirror(clock, membership.node);
  const loneNodes = new RedisLoneNodes(clock, membership, mirror, journal?.loneNodes);
  const windows = new RedisWindows(link, prefix, membership.node, loneNodes.reserved);
  const resync = new RedisResync({ clock, link, windows, membership, mirror });
  const told = new ToldWindows(link, prefix);
  const parts = { clock, log, membership, mirror, resync, told, failures, loneNodes, onTrouble };
  const authority: RedisAuthority = new RedisAuthority(parts);
  const lastRestatedMs = journal ? await mirror.read(journal) : 0;
  const writer =
    journal &&
    new JournalWriter<MirroredTally>({
      ...{ journal, clock, lastRestatedMs, outage },
      identify: (tally, instantMs) => mirror.identify(tally, instantMs),
    });
  const sweeping = sweepIdle(mirror.tallies, clock);
  const pruning = writer && repeat(clock, PRUNE_EVERY_MS, () => writer.prune());
  await link.connect();

  return {
    admit(keyId, endpoint, window) {
      const refusal = mirror.refusal(keyId, endpoint, window);
      if (refusal) return refusal;
      const instantMs = mirror.nextInstant();
      if (authority.isAlone) return admitAlone(keyId, endpoint, window, instantMs);
      return admitShared(keyId, endpoint, window, instantMs);
    },

    standing,
    // What is asked in one turn goes to Redis together.
    standings: standingsBy(standing),

    journalLost: (silentForMs) => writer?.saveLost(mirror.tallies, silentForMs),

    trouble: () => authority.trouble ?? writer?.failure,

    useCredentials: (next) => link.useUrl(next),

    shareFailures(rule) {
      failures.follow(rule);
      return async (address) => {
        if (authority.isAlone) return undefined;
        return failures.count(address, rule).catch(() => undefined);
      };
    },

    async close() {
      sweeping.cancel();
      pruning?.cancel();
      const wasJoined = await authority.leave();
      // Redis keeps the short windows, unless it is away.
      if (!wasJoined) for (const tally of mirror.tallies) if (!tally.isDurable) tally.restate();
      link.close();
      await writer?.saveAll(mirror.tallies);
    },
  };

  function standing(keyId: string, endpoint: string, window: Window): Standing | Promise<Standing> {
    const refusal = mirror.refusal(keyId, endpoint, window);
    if (refusal) return refusal;
    if (authority.isAlone) return mirror.standingAlone(keyId, endpoint, window);
    return new Promise((resolve) => {
      ask({ keyId, endpoint, window, id: '', generation: '' }, (said) =>
        resolve(said?.standing ?? mirror.standingAlone(keyId, endpoint, window)),
      );
    });
  }

  /** One promise for a check, settled from Redis's answer: more of them cost as much as the check. */
  function admitShared(
    keyId: string,
    endpoint: string,
    window: Window,
    instantMs: number,
  ): Promise<Standing> {
    const question = { keyId, endpoint, window, id: mirror.idOf(instantMs), generation: '' };
    return new Promise((resolve) => {
      ask(question, (said) => {
        // Redis may have admitted it before it was lost; the same id keeps it from counting twice.
        if (!said) return resolve(admitAlone(keyId, endpoint, window, instantMs));
        const { tally, mustBeSaved } = mirror.note(keyId, endpoint, window, instantMs, said);
        if (mustBeSaved) writer?.saveSoon(tally);
        resolve(said.standing);
      });
    });
  }

  function admitAlone(
    keyId: string,
    endpoint: string,
    window: Window,
    instantMs: number,
  ): Standing | Promise<Standing> {
    const alone = mirror.admitAlone(keyId, endpoint, window, instantMs);
    if (!writer || !alone.mustBeSaved) return alone.standing;
    return writer.saveForCall(alone.tally)?.then(() => alone.standing) ?? alone.standing;
  }

  /** Asks Redis; mostly it knows all that it needs for an answer. Nothing is decided if it is lost. */
  function ask(question: Question, decided: (decision: Decision | undefined) => void): void {
    const undecided = (error: Error) => {
      authority.late(error);
      decided(undefined);
    };
    if (authority.resynced) {
      askUntilKnown(question, undefined).then(decided, undecided);
      return;
    }
    question.generation = mirror.generationOf(question.keyId, question.endpoint);
    windows.ask(question, (answer) => {
      if (typeof answer === 'string') askUntilKnown(question, answer).then(decided, undecided);
      else decided(answer);
    });
  }

  /** Merges what Redis has lost, and asks again. */
  async function askUntilKnown(
    question: Question,
    first: Exclude<Answer, Decision> | undefined,
  ): Promise<Decision> {
    const { keyId, endpoint } = question;
    const deadlineMs = clock.monotonic() + LONGEST_RESYNC_MS;
    for (let answer: Answer | undefined = first; clock.monotonic() < deadlineMs; ) {
      if (answer === 'fenced') await within(clock, authority.resync(), deadlineMs);
      else if (answer === 'window lost') {
        await within(clock, resync.mergeLost(keyId, endpoint), deadlineMs);
      } else if (answer !== undefined) return answer;
      if (authority.resynced) await within(clock, authority.resynced, deadlineMs);
      question.generation = mirror.generationOf(keyId, endpoint);
      answer = await new Promise<Answer>((resolve, reject) => {
        windows.ask(question, (said, error) => (said ? resolve(said) : reject(error)));
      });
    }
    throw new Error('Redis has lost too much to be resynced in time.');
  }
}

async function within(clock: Clock, work: Promise<void>, deadlineMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const leftMs = deadlineMs - clock.monotonic();
  const timer = clock.after(leftMs, () => late.reject(new Error('Redis takes too long.')));
  try {
    await Promise.race([work, late.promise]);
  } finally {
    timer.cancel();
  }
}
