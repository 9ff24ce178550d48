/**
 * A rehearsal: webhooks that a midoffice has had, signed again and sent to a URL with a header that marks them. Nothing of
 * it is recorded in the queue, so neither the deliveries nor the standing of the midoffice can change.
 *
 *     one after another until one is accepted ─→ the rest, as many at once as the midoffice takes
 *     none of the first is accepted, or the time is over ─→ the rest is not sent
 *
 * So a URL that is not a receiver gets only a few requests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guard } from '../receiver/post.ts';
import type { AttemptRecord } from './attempt.ts';
import { type AttemptNowParts, attemptNow, withEachKey } from './attempt-now.ts';
import { Pace } from './pace.ts';
import { keysInForce } from './sign.ts';
import type { LaneConfig, SentEvent } from './stages.ts';
import { REHEARSAL_HEADER } from './webhook-headers.ts';

export const MOST_REHEARSED = 100;
/** As a receiver check. It covers the wait for earlier rehearsals of the midoffice, too. */
export const LONGEST_REHEARSAL_MS = 30_000;
/** So many are sent one after another until one of them is accepted. */
export const MOST_REFUSED_FIRST = 3;

export interface Rehearsed {
  url: string;
  form: LaneConfig['body_form'];
  startedAtMs: number;
  durationMs: number;
  /** In the order of the events; undefined for one that was not sent, `aborted` for one whose answer came too late. */
  attempts: readonly (AttemptRecord | undefined)[];
  /** Why the rest was not sent; null if all were. */
  ended: 'out_of_time' | 'none_accepted' | null;
}

export type Rehearse = (
  midofficeId: string,
  events: readonly SentEvent[],
  url: string | undefined,
) => Promise<Rehearsed>;

export interface RehearserParts extends AttemptNowParts {
  laneOf(midofficeId: string): Promise<LaneConfig>;
  longestMs?: number;
}

export function createRehearser(parts: RehearserParts): Rehearse {
  const { clock, laneOf, longestMs = LONGEST_REHEARSAL_MS } = parts;
  /** The last rehearsal of each midoffice: the next one begins when it has ended. */
  const running = new Map<string, Promise<unknown>>();

  async function rehearse(
    before: Promise<unknown>,
    midofficeId: string,
    events: readonly SentEvent[],
    url: string | undefined,
  ): Promise<Rehearsed> {
    const startedAtMs = clock.now();
    const startedMs = performance.now();
    const signal = AbortSignal.timeout(longestMs);
    await before.catch(() => {});
    const own = await laneOf(midofficeId);
    const lane = url === undefined ? own : { ...own, url };
    const attempts = await sendAll(parts, lane, events, signal);
    return {
      url: lane.url,
      form: lane.body_form,
      startedAtMs,
      durationMs: Math.round(performance.now() - startedMs),
      attempts,
      ended: attempts.includes(undefined)
        ? signal.aborted
          ? 'out_of_time'
          : 'none_accepted'
        : null,
    };
  }

  return (midofficeId, ...what) => {
    const before = running.get(midofficeId) ?? Promise.resolve();
    const run = rehearse(before, midofficeId, ...what).finally(() => {
      if (running.get(midofficeId) === run) running.delete(midofficeId);
    });
    running.set(midofficeId, run);
    return run;
  };
}

type Send = (event: SentEvent, lastKey: string | null) => Promise<AttemptRecord | undefined>;

async function sendAll(
  parts: AttemptNowParts,
  lane: LaneConfig,
  events: readonly SentEvent[],
  signal: AbortSignal,
): Promise<(AttemptRecord | undefined)[]> {
  const { max_per_second, max_in_flight, ordered, signingKey } = lane;
  const send = createSend(parts, lane, signal);
  const attempts = events.map((): AttemptRecord | undefined => undefined);
  const left = events.entries();
  const keys = keysInForce(signingKey, parts.clock.now()).length;
  let key: string | null = null;
  let refused = 0;
  let isAccepted = false;

  while (!isAccepted && refused < MOST_REFUSED_FIRST) {
    const next = left.next();
    if (next.done) return attempts;
    const [at, event] = next.value;
    const { made, lastKey } = await withEachKey(keys, (last) => send(event, last));
    attempts[at] = made;
    key = lastKey;
    isAccepted = made?.outcome === 'delivered';
    if (!isAccepted) refused++;
  }
  if (!isAccepted) return attempts;

  async function sendRest(): Promise<void> {
    for (const [at, event] of left) attempts[at] = await send(event, key);
  }
  const atOnce = ordered ? 1 : Math.min(max_in_flight, max_per_second ?? max_in_flight);
  await Promise.all(Array.from({ length: Math.min(atOnce, events.length) }, sendRest));
  return attempts;
}

/** Undefined for what is not sent, because the time is over. */
function createSend(parts: AttemptNowParts, lane: LaneConfig, signal: AbortSignal): Send {
  const { max_per_second } = lane;
  const pace = new Pace();
  // Other webhooks may have been sent in the last second.
  if (max_per_second !== null) pace.startOver(performance.now());

  return async (event, lastKey) => {
    for (;;) {
      if (signal.aborted) return undefined;
      const waitMs = pace.opensAtMs(max_per_second) - performance.now();
      if (waitMs <= 0) break;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
    pace.begin(max_per_second, performance.now());
    let isSent = false;
    const guard: Guard = {
      isWanted: () => !signal.aborted,
      onSent() {
        isSent = true;
      },
    };
    const breakOff = () => guard.breakOff?.();
    signal.addEventListener('abort', breakOff);
    try {
      const headers = { [REHEARSAL_HEADER]: '1' };
      const made = await attemptNow(parts, lane, event, { lastKey, headers, guard });
      return made.failure_code === 'aborted' && !isSent ? undefined : made;
    } finally {
      signal.removeEventListener('abort', breakOff);
      pace.sent(max_per_second, performance.now());
    }
  };
}
