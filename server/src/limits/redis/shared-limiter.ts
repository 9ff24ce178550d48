import type { Clock, Timer } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { JournalWriter } from '../journal-writer.ts';
import type { AdmissionJournal, Limiter, Standing, Window } from '../limiter.ts';
import { pruneNowAndThen } from '../pruning.ts';
import { sweepIdle } from '../rings.ts';
import { RedisLink } from './link.ts';
import { BEAT_EVERY_MS, RedisMembership } from './membership.ts';
import { RedisMirror } from './mirror.ts';
import type { MirroredTally } from './mirrored-tally.ts';
import { RedisResync } from './resync.ts';
import { type Answer, type Decision, type Question, RedisWindows } from './windows.ts';

/** A request waits this long for a Redis that has forgotten; after that the node decides alone. */
const LONGEST_REMINDING_MS = 2_000;
const DECIDING_ALONE =
  'Redis has not been told in time what it had forgotten: this node decides by itself meanwhile.';

/**
 * The limiter that all nodes share: one script in Redis decides, on Redis's clock.
 *
 *     shared ──Redis lost──→ alone ──Redis back──→ merging ──→ shared
 *     shared ──Redis has forgotten──→ reminding (requests wait) ──→ shared
 *
 * Alone, and until it has merged, a node holds each limit by itself, going on from what it let in
 * before. Merging tells Redis what was let in meanwhile; Redis counts each admission once,
 * however often it hears of it. The journal keeps admissions to long windows for the next run of
 * this node, which may have to begin alone: before the reply while Redis is away, else soon after.
 */
export async function createRedisLimiter(options: {
  url: string;
  /** Sets these windows apart from all others in the same Redis, such as `bellhop:sandbox`. */
  prefix: string;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  /** Without one, only Redis and the other nodes remember what this process let in. */
  journal?: AdmissionJournal;
  /** Told each time that `trouble()` begins or ends. */
  onTrouble?: (trouble: string | undefined) => void;
}): Promise<Limiter> {
  const { url, prefix, clock, log, journal, onTrouble } = options;
  const link = new RedisLink(url, clock, { prepare, lost });
  const membership = new RedisMembership(link, prefix);
  const mirror = new RedisMirror(clock, membership.node);
  const windows = new RedisWindows(link, prefix, membership.node);
  const resync = new RedisResync({ clock, link, windows, membership, mirror });
  const lastRestatedMs = journal ? await mirror.read(journal) : 0;
  const writer =
    journal &&
    new JournalWriter<MirroredTally>({
      ...{ journal, clock, lastRestatedMs },
      identify: (tally, instantMs) => mirror.identify(tally, instantMs),
    });
  const sweeping = sweepIdle(mirror.tallies, clock);
  const pruning = writer && pruneNowAndThen(writer, clock);
  let shared = false;
  let trouble: string | undefined;
  let reminding: Promise<void> | undefined;
  let beating: Timer | undefined;
  /** Since Redis last forgot. */
  let isSaidToBeLate = false;
  await link.connect();

  return {
    admit(keyId, endpoint, window) {
      const refusal = mirror.refusal(keyId, endpoint, window);
      if (refusal) return refusal;
      const instantMs = mirror.nextInstant();
      if (!shared) return admitAlone(keyId, endpoint, window, instantMs);
      return admitShared(keyId, endpoint, window, instantMs);
    },

    standing(keyId, endpoint, window) {
      const refusal = mirror.refusal(keyId, endpoint, window);
      if (refusal) return refusal;
      if (!shared) return mirror.standingAlone(keyId, endpoint, window);
      return new Promise((resolve) => {
        ask({ keyId, endpoint, window, id: '', generation: '' }, (said) =>
          resolve(said?.standing ?? mirror.standingAlone(keyId, endpoint, window)),
        );
      });
    },

    trouble: () => trouble ?? writer?.failure,

    async close() {
      beating?.cancel();
      sweeping.cancel();
      pruning?.cancel();
      if (shared) await membership.leave().catch(() => {});
      // Redis keeps the short windows, unless it is away.
      else for (const tally of mirror.tallies) if (!tally.isDurable) tally.restate();
      shared = false;
      link.close();
      await writer?.saveAll(mirror.tallies);
    },
  };

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
        // Redis may have let it in before it was lost; the same id keeps it from counting twice.
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
    return writer.save(alone.tally).then(() => alone.standing);
  }

  /** Asks Redis; mostly it knows all that it needs for an answer. Nothing is decided if it is lost. */
  function ask(question: Question, decided: (decision: Decision | undefined) => void): void {
    const undecided = (error: Error) => {
      if (shared && !isSaidToBeLate) log.warn({ reason: error.message }, DECIDING_ALONE);
      isSaidToBeLate ||= shared;
      decided(undefined);
    };
    if (reminding) return void askUntilKnown(question, undefined).then(decided, undecided);
    question.generation = mirror.generationOf(question.keyId, question.endpoint);
    windows.ask(question, (answer) => {
      if (typeof answer === 'string') askUntilKnown(question, answer).then(decided, undecided);
      else decided(answer);
    });
  }

  /** Tells Redis what it has forgotten, and asks again. */
  async function askUntilKnown(
    question: Question,
    first: Exclude<Answer, Decision> | undefined,
  ): Promise<Decision> {
    const { keyId, endpoint } = question;
    const deadlineMs = clock.monotonic() + LONGEST_REMINDING_MS;
    for (let answer: Answer | undefined = first; clock.monotonic() < deadlineMs; ) {
      if (answer === 'node forgotten') await within(remind(), deadlineMs);
      else if (answer === 'window forgotten') {
        await within(resync.mergeLost(keyId, endpoint), deadlineMs);
      } else if (answer !== undefined) return answer;
      if (reminding) await within(reminding, deadlineMs);
      question.generation = mirror.generationOf(keyId, endpoint);
      answer = await new Promise<Answer>((resolve, reject) => {
        windows.ask(question, (said, error) => (said ? resolve(said) : reject(error)));
      });
    }
    throw new Error('Redis has forgotten too much to be told in time.');
  }

  function remind(): Promise<void> {
    if (!reminding) {
      log.warn({}, 'Redis has forgotten the windows of limits: it is told again what was let in.');
      mirror.epoch = undefined;
      isSaidToBeLate = false;
      reminding = share().finally(() => {
        reminding = undefined;
      });
      // Requests that wait for it are told of a failure; there may be none.
      reminding.catch(() => {});
    }
    return reminding;
  }

  async function share(): Promise<void> {
    const epoch = await resync.join();
    shared = true;
    await mergeRest(epoch);
  }

  /** While that is under way, the journal must not take anything for known to Redis. */
  async function mergeRest(epoch: string | undefined): Promise<void> {
    mirror.epoch = undefined;
    await resync.mergeRest();
    mirror.epoch = epoch;
  }

  /** Ends when Redis is lost, which the link says, and not because one beat has failed. */
  async function beat(): Promise<void> {
    try {
      if (reminding) await reminding;
      else if (!(await membership.beat())) await remind();
      else if (mirror.unmerged.size > 0) await mergeRest(mirror.epoch);
    } finally {
      beating?.cancel();
      if (shared) beating = clock.after(BEAT_EVERY_MS, () => beat().catch(() => {}));
    }
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
    await share();
    await beat();
    if (trouble === undefined) return;
    trouble = undefined;
    log.info({}, 'Redis is back: the limits are shared again.');
    onTrouble?.(trouble);
  }

  function lost(reason: string): void {
    const isNews = trouble === undefined;
    shared = false;
    beating?.cancel();
    mirror.epoch = undefined;
    trouble = `Redis is out of reach (${reason}): this node holds the limits by itself until Redis is back.`;
    if (!isNews) return;
    log.warn({ reason }, trouble);
    onTrouble?.(trouble);
  }
}
