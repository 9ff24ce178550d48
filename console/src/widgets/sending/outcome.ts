/** What became of webhooks that were sent by hand. */
import type { Delivery } from '../../api/types.ts';
import { resultInWords } from '../failure-words.ts';

/** As it was when it was sent. */
export interface Sent {
  id: string;
  attempts_made: number;
}

/** As the list shows it now. */
export type Followed = Pick<
  Delivery,
  | 'id'
  | 'state'
  | 'paused'
  | 'in_flight'
  | 'attempts_made'
  | 'last_status_code'
  | 'last_failure_code'
  | 'partner_order_id'
>;

export interface Outcome {
  delivered: number;
  failed: number;
  /** How many failed for each reason. */
  reasons: ReadonlyMap<string, number>;
  /** Of those that failed: how many are not attempted again by themselves. */
  givenUp: number;
  /** Not attempted yet. */
  open: number;
  paused: number;
}

export type Fate = 'delivered' | 'failed' | 'paused' | 'open';

export function fateOf({ attempts_made: before }: Sent, now: Followed | undefined): Fate {
  if (!now) return 'open';
  if (now.state === 'delivered') return 'delivered';
  if (now.state === 'cancelled') return 'failed';
  if (now.paused) return 'paused';
  return now.attempts_made > before && !now.in_flight ? 'failed' : 'open';
}

export function outcomeOf(sent: readonly Sent[], known: ReadonlyMap<string, Followed>): Outcome {
  const counts = { delivered: 0, failed: 0, paused: 0, open: 0 };
  const reasons = new Map<string, number>();
  let givenUp = 0;
  for (const one of sent) {
    const now = known.get(one.id);
    const fate = fateOf(one, now);
    counts[fate] += 1;
    if (fate !== 'failed' || !now) continue;
    const reason = resultInWords(now);
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (now.state !== 'pending') givenUp += 1;
  }
  return { ...counts, reasons, givenUp };
}
