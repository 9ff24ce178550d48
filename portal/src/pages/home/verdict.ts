/**
 * How things are for this partner, in one or two sentences, and what needs somebody. The worst comes first. Support reads
 * the same on the partner's page in the console, which takes what is judged from support's own API.
 */

import { pathOf } from '@bellhop/rules/endpoint-path';
import type { VerdictTone } from '../../../../console/src/ui/page/Verdict.tsx';
import { relativeTime } from '../../../../console/src/ui/text/durations.ts';
import type { Home, HomeKey, Limit, OwnKey, OwnMidoffice } from '../../api/types.ts';
import { words } from '../../words/words.ts';

const MINUTE_SECONDS = 60;
const DAY_MS = 86_400_000;
const EXPIRES_SOON_MS = 14 * DAY_MS;

export interface Advice {
  /** The words that are a link, and where they lead. */
  link: string;
  to: 'receiver' | 'exhausted' | 'refusals' | { key: string } | { limits: string };
  after: string;
}

export interface Judged extends Pick<Home, 'exhausted' | 'refused_lately'> {
  midoffice: Pick<OwnMidoffice, 'paused' | 'health' | 'failing_since' | 'pending'> | null;
  keys: readonly JudgedKey[];
}

export interface JudgedKey extends Pick<HomeKey, 'highest_share_today'> {
  key: Pick<OwnKey, 'key_id' | 'label' | 'disabled' | 'expires_at'>;
  limits_in_use: readonly Pick<Limit, 'endpoint' | 'remaining' | 'resets_at'>[];
}

export interface Verdict {
  tone: VerdictTone;
  sentence: string;
  advice: Advice[];
}

export function verdictOf(home: Judged, nowMs: number): Verdict {
  const { tone, sentence } = webhooksNow(home, nowMs);
  const advice = adviceFor(home, nowMs);
  const isFine = tone === 'good' || tone === 'calm';
  return {
    tone: isFine && advice.length > 0 ? 'warn' : tone,
    sentence: `${sentence} ${usedToday(home.keys)}`,
    advice,
  };
}

function webhooksNow(
  { midoffice, exhausted }: Judged,
  nowMs: number,
): { tone: VerdictTone; sentence: string } {
  if (midoffice === null) return { tone: 'calm', sentence: words.home.noReceiver };
  const { paused, health, failing_since } = midoffice;
  if (paused) return { tone: 'warn', sentence: words.home.paused };
  if (health === 'failing') {
    const seconds = (nowMs - Date.parse(failing_since ?? '')) / 1_000;
    // A receiver that has only just failed mostly restarts.
    const isShort = !(seconds >= MINUTE_SECONDS);
    const sentence = isShort ? words.home.failing : words.home.failingFor(seconds);
    return { tone: 'bad', sentence };
  }
  if (exhausted.count > 0) {
    return { tone: 'warn', sentence: words.home.exhausted(exhausted) };
  }
  if (health === 'untested') return { tone: 'calm', sentence: words.home.untested };
  return { tone: 'good', sentence: words.home.arrive };
}

/** The key that came closest to a limit. */
function usedToday(keys: readonly JudgedKey[]): string {
  if (keys.length === 0) return words.home.noKey;
  const used = keys.flatMap(({ key, highest_share_today: share }) =>
    share === null ? [] : [{ name: nameOf(key), share }],
  );
  if (used.length === 0) return words.home.unused;
  const highest = used.reduce((most, one) => (one.share > most.share ? one : most));
  return keys.length === 1
    ? words.home.used(highest.share)
    : words.home.usedBy(highest.name, highest.share);
}

function adviceFor(
  { midoffice, exhausted, keys, refused_lately: refused }: Judged,
  nowMs: number,
): Advice[] {
  const say = words.home.needsYou;
  const advice: Advice[] = [];
  if (midoffice === null) {
    advice.push({ link: say.chooseReceiver, to: 'receiver', after: say.chooseReceiverAfter });
  } else {
    if (midoffice.health === 'failing') {
      const { pending } = midoffice;
      const after = pending ? `${say.repair} ${say.waiting(pending)}` : say.repair;
      advice.push({ link: say.seeAttempt, to: 'receiver', after });
    }
    if (exhausted.count > 0) {
      const link = say.sendAgain(exhausted);
      advice.push({ link, to: 'exhausted', after: say.sendAgainAfter });
    }
  }
  for (const { key, limits_in_use } of keys) {
    const about = keyNeeds(key, nowMs);
    if (about) {
      advice.push({ link: say.expires(nameOf(key)), to: { key: key.key_id }, after: about });
    }
    // Until it is read again, it may still look used up.
    const full = limits_in_use.find(
      ({ remaining, resets_at }) =>
        remaining === 0 && resets_at !== null && Date.parse(resets_at) > nowMs,
    );
    if (full?.resets_at) {
      const when = relativeTime(full.resets_at, nowMs);
      const link = say.full(pathOf(full.endpoint));
      advice.push({ link, to: { limits: key.key_id }, after: say.fullAfter(when) });
    }
  }
  if (refused) {
    const link = say.refusedCalls(refused.calls);
    advice.push({ link, to: 'refusals', after: say.refusedAfter(refused.most_frequent) });
  }
  return advice;
}

function keyNeeds({ disabled, expires_at }: JudgedKey['key'], nowMs: number): string | undefined {
  const say = words.home.needsYou;
  if (disabled) return say.disabled;
  if (expires_at === null) return undefined;
  const leftMs = Date.parse(expires_at) - nowMs;
  if (leftMs <= 0) return say.expired(relativeTime(expires_at, nowMs));
  return leftMs < EXPIRES_SOON_MS ? say.expiresAfter(relativeTime(expires_at, nowMs)) : undefined;
}

function nameOf({ label, key_id }: JudgedKey['key']): string {
  return label ?? key_id;
}
