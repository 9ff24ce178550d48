/**
 * How often a partner may do what costs others something: send webhooks again or count them, call its receiver, replace
 * API keys (which mails all its contacts), open sessions, change anything else. The times are in the database, so that all
 * nodes count together.
 */

import type { Clock } from '../../base/clock.ts';
import type { Change, Store } from '../../store/store.ts';
import { Problem } from '../problem.ts';
import { type Turn, turnsToChange, writeTurns } from './queries.ts';

const SPAN_MS = 60_000;
/** In any minute, for each partner. */
export const MOST_IN_A_MINUTE = {
  redeliver: 10,
  /**
   * What a recovery would send, also to compare it with what was expected. The dialog counts again whenever somebody
   * changes the span.
   */
  count: 30,
  receiver: 10,
  rotation: 10,
  sign_in: 30,
  /** Everything else that changes something. */
  write: 60,
} as const;
export type Paced = keyof typeof MOST_IN_A_MINUTE;
/** Of that, for each session: one that is out of hand leaves something to the partner's others. */
const MOST_OF_A_SESSION: Partial<Record<Paced, number>> = { write: 30 };

/** Throws if the partner has done it too often. Part of a transaction: what fails is not counted. */
export async function takeTurn(
  { db, now }: Pick<Change, 'db' | 'now'>,
  partnerId: string,
  what: Paced,
  sessionId?: string,
): Promise<void> {
  const recent = (await turnsToChange(db, partnerId, what)).filter(([at]) => at > now - SPAN_MS);
  const ofSession = recent.filter(([, by]) => by === sessionId);
  checkPace('A partner', recent, MOST_IN_A_MINUTE[what], now);
  checkPace('A session', ofSession, MOST_OF_A_SESSION[what] ?? MOST_IN_A_MINUTE[what], now);
  await writeTurns(db, partnerId, what, [...recent, sessionId ? [now, sessionId] : [now]]);
}

function checkPace(who: string, turns: readonly Turn[], most: number, now: number): void {
  const [oldest] = turns.at(-most) ?? [];
  if (oldest === undefined) return;
  const detail = `${who} may do this ${most} times a minute.`;
  const retryAfterMs = oldest + SPAN_MS - now;
  throw new Problem('too_many_portal_calls', detail, undefined, { retryAfterMs });
}

/** Throws if it was done too often. */
export type TakeTurn = () => Promise<void>;

/** In a transaction of its own, before something that takes longer than one, such as a call of a receiver. */
export async function takeTurnFirst(
  { store, clock }: { store: Store; clock: Clock },
  ...turn: [partnerId: string, what: Paced, sessionId?: string]
): Promise<void> {
  await store.db.transaction().execute((db) => takeTurn({ db, now: clock.now() }, ...turn));
}
