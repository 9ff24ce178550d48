/** How things are for this partner, in one or two sentences, and what needs somebody. The worst comes first. */
import type { VerdictTone } from '../../../../console/src/ui/page/Verdict.tsx';
import { relativeTime } from '../../../../console/src/ui/text/durations.ts';
import type { Limit, OwnKey, OwnMidoffice, OwnRefusal, UsageHistory } from '../../api/types.ts';
import { words } from '../../words/words.ts';
import { shortPath } from '../limits/endpoints.ts';

const MINUTE_SECONDS = 60;
const DAY_MS = 86_400_000;
const EXPIRES_SOON_MS = 14 * DAY_MS;

export interface KeyFacts {
  key: OwnKey;
  limits: readonly Limit[];
  history: UsageHistory['items'];
}

export interface Facts {
  /** Null if the partner has none. */
  midoffice: OwnMidoffice | null;
  /** Webhooks that ran out of attempts, and that nobody has taken care of. */
  exhausted: Counted;
  keys: readonly KeyFacts[];
  refusals: readonly OwnRefusal[];
}

/** `hasMore`: there are more than this. */
export interface Counted {
  count: number;
  hasMore: boolean;
}

export interface Advice {
  /** The words that are a link, and where they lead. */
  link: string;
  to: 'receiver' | 'exhausted' | 'refusals' | { key: string } | { limits: string };
  after: string;
}

export interface Verdict {
  tone: VerdictTone;
  sentence: string;
  advice: Advice[];
}

export function verdictOf(facts: Facts, nowMs: number): Verdict {
  const { tone, sentence } = webhooksNow(facts, nowMs);
  const advice = adviceFor(facts, nowMs);
  const isFine = tone === 'good' || tone === 'calm';
  return {
    tone: isFine && advice.length > 0 ? 'warn' : tone,
    sentence: `${sentence} ${usedToday(facts.keys, nowMs)}`,
    advice,
  };
}

function webhooksNow(
  { midoffice, exhausted }: Facts,
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

/** The key that came closest to a limit since midnight UTC, which is when a day of the history begins. */
function usedToday(keys: readonly KeyFacts[], nowMs: number): string {
  if (keys.length === 0) return words.home.noKey;
  const midnight = new Date(nowMs - (nowMs % DAY_MS)).toISOString();
  const peaks = keys.map(({ key, history }) => ({
    name: nameOf(key),
    today: history.filter(({ at }) => at >= midnight),
  }));
  if (peaks.every(({ today }) => today.length === 0)) return words.home.unused;
  const shares = peaks.map(({ name, today }) => ({
    name,
    share: Math.max(0, ...today.map(({ peak_share }) => peak_share ?? 0)),
  }));
  const highest = shares.reduce((most, one) => (one.share > most.share ? one : most));
  return keys.length === 1
    ? words.home.used(highest.share)
    : words.home.usedBy(highest.name, highest.share);
}

function adviceFor({ midoffice, exhausted, keys, refusals }: Facts, nowMs: number): Advice[] {
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
  for (const { key, limits } of keys) {
    const about = keyNeeds(key, nowMs);
    if (about) {
      advice.push({ link: say.expires(nameOf(key)), to: { key: key.key_id }, after: about });
    }
    const full = limits.find(({ is_limited, remaining }) => is_limited && remaining === 0);
    if (full) {
      const when = full.resets_at ? relativeTime(full.resets_at, nowMs) : words.limits.now;
      const link = say.full(shortPath(full.endpoint));
      advice.push({ link, to: { limits: key.key_id }, after: say.fullAfter(when) });
    }
  }
  const refused = refusedLately(refusals, nowMs);
  if (refused) {
    const link = say.refusedCalls(refused.count);
    advice.push({ link, to: 'refusals', after: say.refusedAfter(refused.code) });
  }
  return advice;
}

function keyNeeds({ disabled, expires_at }: OwnKey, nowMs: number): string | undefined {
  const say = words.home.needsYou;
  if (disabled) return say.disabled;
  if (expires_at === null) return undefined;
  const leftMs = Date.parse(expires_at) - nowMs;
  if (leftMs <= 0) return say.expired(relativeTime(expires_at, nowMs));
  return leftMs < EXPIRES_SOON_MS ? say.expiresAfter(relativeTime(expires_at, nowMs)) : undefined;
}

function refusedLately(
  refusals: readonly OwnRefusal[],
  nowMs: number,
): { count: number; code: string } | undefined {
  const counts = new Map<string, number>();
  for (const { at, code, sampled_from } of refusals) {
    if (nowMs - Date.parse(at) > DAY_MS) continue;
    counts.set(code, (counts.get(code) ?? 0) + sampled_from);
  }
  const most = [...counts].sort(([, a], [, b]) => b - a)[0];
  if (!most) return undefined;
  return { count: [...counts.values()].reduce((sum, count) => sum + count, 0), code: most[0] };
}

function nameOf({ label, key_id }: OwnKey): string {
  return label ?? key_id;
}
