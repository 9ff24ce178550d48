/**
 * How often a partner may do what costs others something: send webhooks again or count them, call its receiver, replace
 * API keys (which mails all its contacts), open sessions. The times are in the database, so that all nodes count together.
 */

import type { Clock } from '../../clock.ts';
import type { Change, Store } from '../../store/store.ts';
import { Problem } from '../problem.ts';
import { timesToChange, writeTimes } from './queries.ts';

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
} as const;
export type Paced = keyof typeof MOST_IN_A_MINUTE;

/** Throws if the partner has done it too often. Part of a transaction: what fails is not counted. */
export async function takeTurn(
  { db, now }: Pick<Change, 'db' | 'now'>,
  partnerId: string,
  what: Paced,
): Promise<void> {
  const recent = (await timesToChange(db, partnerId, what)).filter((at) => at > now - SPAN_MS);
  const most = MOST_IN_A_MINUTE[what];
  if (recent.length >= most) {
    const retryAfterMs = (recent[recent.length - most] as number) + SPAN_MS - now;
    const detail = `A partner may do this ${most} times a minute.`;
    throw new Problem('too_many_portal_calls', detail, undefined, { retryAfterMs });
  }
  await writeTimes(db, partnerId, what, [...recent, now]);
}

/** In a transaction of its own, before something that takes longer than one, such as a call of a receiver. */
export async function takeTurnFirst(
  { store, clock }: { store: Store; clock: Clock },
  partnerId: string,
  what: Paced,
): Promise<void> {
  await store.db.transaction().execute((db) => takeTurn({ db, now: clock.now() }, partnerId, what));
}
