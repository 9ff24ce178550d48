/** To whom a link may be mailed, how often, and for how long it can be used. */

import { HOUR_MS } from '../../gateway/usage-history/counts.ts';
import type { Database } from '../../store/schema.ts';
import { lockRecipient, mailedLinkTimes, readContacts } from '../notices/queries.ts';
import { invalidField, Problem } from '../problem.ts';

/** To one address, in any hour. */
export const MOST_MAILED_LINKS = 10;
/** Mailboxes are kept, forwarded and read by others. */
export const LONGEST_MAILED_LIFE_SECONDS = 86_400;

/** Anyone else could be anybody. */
export async function needConfirmed(db: Database, partnerId: string, email: string): Promise<void> {
  const contacts = await readContacts(db, partnerId);
  const isConfirmed = contacts.some((one) => one.email === email && one.confirmed_at !== null);
  if (!isConfirmed) throw invalidField('/recipient', 'must be a confirmed contact of the partner');
}

export async function needRoom(db: Database, email: string, nowMs: number): Promise<void> {
  await lockRecipient(db, email);
  const times = await mailedLinkTimes(db, email, nowMs - HOUR_MS);
  if (times.length < MOST_MAILED_LINKS) return;
  const retryAfterMs = (times[times.length - MOST_MAILED_LINKS] as number) + HOUR_MS - nowMs;
  throw new Problem('too_many_mailed_links', undefined, undefined, { retryAfterMs });
}
