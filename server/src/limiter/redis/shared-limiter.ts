import { type Clock, repeat, type Timer } from '../../base/clock.ts';
import type { Outage } from '../../base/database-errors.ts';
import type { Log } from '../../base/log.ts';
import { JournalWriter, PRUNE_EVERY_MS } from '../journal-writer.ts';
import {
  type AdmissionJournal,
  type Limiter,
  LONE_TOLD_EVERY_MS,
  type LoneNode,
  type Standing,
  standingsBy,
  type Window,
} from '../limiter.ts';
import { sweepIdle } from '../rings.ts';
import { RedisFailures } from './failures.ts';
import { RedisLink } from './link.ts';
import { reservedFor } from './lone-window.ts';
import { BEAT_EVERY_MS, RedisMembership } from './membership.ts';
import { RedisMirror } from './mirror.ts';
import type { MirroredTally } from './mirrored-tally.ts';
import { RedisResync } from './resync.ts';
import { ToldWindows } from './told-windows.ts';
import { type Answer, type Decision, nodesKey, type Question, RedisWindows } from './windows.ts';

/** A request waits this long for a resync; after that the node decides alone. */
const LONGEST_RESYNC_MS = 2_000;
const DECIDING_ALONE =
  'Redis has not been told in time what it had forgotten: this node decides by itself meanwhile.';

/** Redis decides. */
type Joined =
  /** It may still lack some of what this node admitted alone, and `trouble` is not over. */
  | { kind: 'merging'; isLateReported: boolean; trouble: string | undefined }
  | { kind: 'shared'; isLateReported: boolean; beats: Timer };

type State =
  /** This node decides. There is no trouble before the first attempt to connect has ended. */
  | { kind: 'alone'; trouble: string | undefined }
  | Joined
  /** Redis has lost data, and requests wait until this node has merged its part again. */
  | { kind: 'resyncing'; resynced: Promise<void>; joined: Joined };

/**
 * The limiter that all nodes share: one script in Redis decides, on Redis's clock.
 *
 *     alone ──Redis reached──→ merging ──→ shared ──Redis lost──→ alone
 *     merging, shared ──Redis has lost data──→ resyncing ──→ as before
 *
 * Alone, a node holds its share of each limit by itself (`LoneWindow`), continuing from what it admitted and
 * heard before. Then it merges what it admitted meanwhile into Redis, which counts each admission once, however often it is
 * merged. The journal keeps admissions to long windows for the next run of this node, which may
 * have to begin alone: before the reply while Redis is away, else soon after.
 */
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
  const link = new RedisLink(url, nodesKey(prefix), clock, { prepare, lost });
  const membership = new RedisMembership(link, prefix, admits);
  const told = new ToldWindows(link, prefix);
  const failures = new RedisFailures(link, prefix);
  const mirror = new RedisMirror(clock, membership.node);
  const loneNodes = journal?.loneNodes;
  const windows = new RedisWindows(link, prefix, membership.node, (keyId, { requests }) =>
    reservedFor(othersAlone, keyId, requests),
  );
  const resync = new RedisResync({ clock, link, windows, membership, mirror });
  const lastRestatedMs = journal ? await mirror.read(journal) : 0;
  const writer =
    journal &&
    new JournalWriter<MirroredTally>({
      ...{ journal, clock, lastRestatedMs, outage },
      identify: (tally, instantMs) => mirror.identify(tally, instantMs),
    });
  const sweeping = sweepIdle(mirror.tallies, clock);
  const pruning = writer && repeat(clock, PRUNE_EVERY_MS, () => writer.prune());
  let state: State = { kind: 'alone', trouble: undefined };
  let othersAlone: readonly LoneNode[] = [];
  let heardAlone: readonly LoneNode[] | undefined;
  let tellingAlone: Timer | undefined;
  await link.connect();

  return {
    admit(keyId, endpoint, window) {
      const refusal = mirror.refusal(keyId, endpoint, window);
      if (refusal) return refusal;
      const instantMs = mirror.nextInstant();
      if (state.kind === 'alone') return admitAlone(keyId, endpoint, window, instantMs);
      return admitShared(keyId, endpoint, window, instantMs);
    },

    standing,
    // What is asked in one turn goes to Redis together.
    standings: standingsBy(standing),

    journalLost: (silentForMs) => writer?.saveLost(mirror.tallies, silentForMs),

    trouble: () => trouble() ?? writer?.failure,

    useCredentials: (next) => link.useUrl(next),

    shareFailures(rule) {
      failures.follow(rule);
      return async (address) => {
        if (state.kind === 'alone') return undefined;
        return failures.count(address, rule).catch(() => undefined);
      };
    },

    async close() {
      const isJoined = state.kind !== 'alone';
      stopBeats();
      state = { kind: 'alone', trouble: trouble() };
      sweeping.cancel();
      pruning?.cancel();
      endLoss();
      if (isJoined) await membership.leave().catch(() => {});
      // Redis keeps the short windows, unless it is away.
      else for (const tally of mirror.tallies) if (!tally.isDurable) tally.restate();
      link.close();
      await writer?.saveAll(mirror.tallies);
    },
  };

  function standing(keyId: string, endpoint: string, window: Window): Standing | Promise<Standing> {
    const refusal = mirror.refusal(keyId, endpoint, window);
    if (refusal) return refusal;
    if (state.kind === 'alone') return mirror.standingAlone(keyId, endpoint, window);
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
      const now = joined();
      if (now && !now.isLateReported) log.warn({ reason: error.message }, DECIDING_ALONE);
      if (now) now.isLateReported = true;
      beginLoss();
      decided(undefined);
    };
    if (state.kind === 'resyncing') {
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
      if (answer === 'fenced') await within(resyncAll(), deadlineMs);
      else if (answer === 'window lost') {
        await within(resync.mergeLost(keyId, endpoint), deadlineMs);
      } else if (answer !== undefined) return answer;
      if (state.kind === 'resyncing') await within(state.resynced, deadlineMs);
      question.generation = mirror.generationOf(keyId, endpoint);
      answer = await new Promise<Answer>((resolve, reject) => {
        windows.ask(question, (said, error) => (said ? resolve(said) : reject(error)));
      });
    }
    throw new Error('Redis has lost too much to be resynced in time.');
  }

  /** Redis has fenced this node off, because it has lost what it knew of it. */
  function resyncAll(): Promise<void> {
    if (state.kind === 'alone') return Promise.reject(new Error('Redis is lost.'));
    if (state.kind === 'resyncing') return state.resynced;
    log.warn({}, 'Redis has forgotten the windows of limits: it is told again what was let in.');
    const before = state;
    before.isLateReported = false;
    mirror.epoch = undefined;
    const resynced = resync
      .join()
      .then(mergeRest)
      .then(hearAgain)
      .finally(() => {
        if (state === resyncing) state = before;
      });
    const resyncing: State = { kind: 'resyncing', resynced, joined: before };
    state = resyncing;
    // Requests that wait for it get its failure; there may be none.
    resynced.catch(() => {});
    return resynced;
  }

  /** While that is under way, the journal must not take anything for known to Redis. */
  async function mergeRest(epoch: string | undefined): Promise<void> {
    mirror.epoch = undefined;
    await resync.mergeRest();
    mirror.epoch = epoch;
  }

  /** Says that this node is there, and merges what is left. */
  async function beat(): Promise<void> {
    if (state.kind === 'resyncing') return state.resynced;
    const [isMember, windows] = await Promise.all([
      membership.beat(),
      told.hear(),
      failures.hear(),
    ]);
    mirror.hear(windows);
    hearAlone();
    if (!isMember) await resyncAll();
    else if (mirror.unmerged.size > 0) await mergeRest(mirror.epoch);
    // It was only late for some window.
    else if (mirror.loss && state.kind === 'shared') endLoss();
  }

  /** All nodes have merged. From here on Redis decides, and what others told before has to be heard too. */
  async function hearAgain(): Promise<void> {
    told.startAgain();
    mirror.hear(await told.hear());
    endLoss();
  }

  /** From here on this node decides by itself. */
  function beginLoss(): void {
    if (mirror.loss) return;
    const share = membership.share(loneNodes?.heard() ?? []);
    mirror.loss = { lostMs: clock.monotonic(), ...share };
    // A node that knows of no others would keep whole windows from them.
    if (!loneNodes || !admits || share.nodes === 1) return;
    // If the database is away too, the others cannot hear of it.
    const tell = () => loneNodes.tell({ name: membership.node, ...share }).catch(() => {});
    tellingAlone = repeat(clock, LONE_TOLD_EVERY_MS, tell);
    tell();
  }

  function endLoss(): void {
    mirror.loss = undefined;
    if (!tellingAlone) return;
    tellingAlone.cancel();
    tellingAlone = undefined;
    loneNodes?.untell(membership.node).catch(() => {});
  }

  /** Leaves to nodes that have lost Redis what they may admit. */
  function hearAlone(): void {
    const heard = loneNodes?.heard();
    if (heard === heardAlone) return;
    heardAlone = heard;
    othersAlone = (heard ?? []).filter(({ name }) => name !== membership.node);
    mirror.forgetRefusals();
  }

  async function within(work: Promise<void>, deadlineMs: number): Promise<void> {
    const late = Promise.withResolvers<never>();
    const leftMs = deadlineMs - clock.monotonic();
    const timer = clock.after(leftMs, () => late.reject(new Error('Redis takes too long.')));
    try {
      await Promise.race([work, late.promise]);
    } finally {
      timer.cancel();
    }
  }

  async function prepare(): Promise<void> {
    await resync.greet();
    await join();
    await beat();
    while (state.kind === 'resyncing') await state.resynced;
    if (state.kind === 'merging') becomeShared(state.trouble);
  }

  async function join(): Promise<void> {
    const epoch = await resync.join();
    state = { kind: 'merging', isLateReported: false, trouble: trouble() };
    await mergeRest(epoch);
    await hearAgain();
  }

  function becomeShared(before: string | undefined): void {
    // A failed beat is not the end: if Redis is lost, the link says so.
    const beats = repeat(clock, BEAT_EVERY_MS, () => beat().catch(() => {}));
    state = { kind: 'shared', isLateReported: false, beats };
    if (before === undefined) return;
    log.info({}, 'Redis is back: the limits are shared again.');
    onTrouble?.(undefined);
  }

  function lost(reason: string): void {
    const isNews = trouble() === undefined;
    stopBeats();
    mirror.epoch = undefined;
    beginLoss();
    const sentence = `Redis is out of reach (${reason}): this node holds the limits by itself until Redis is back.`;
    state = { kind: 'alone', trouble: sentence };
    if (!isNews) return;
    log.warn({ reason }, sentence);
    onTrouble?.(sentence);
  }

  function joined(): Joined | undefined {
    if (state.kind === 'alone') return undefined;
    return state.kind === 'resyncing' ? state.joined : state;
  }

  function trouble(): string | undefined {
    const now = joined() ?? state;
    return 'trouble' in now ? now.trouble : undefined;
  }

  function stopBeats(): void {
    const now = joined();
    if (now?.kind === 'shared') now.beats.cancel();
  }
}
