/**
 * One attempt outside the queue: a test event or a rehearsal. It belongs to no delivery, and nobody repeats it. It is signed
 * and sent as deliveries are.
 */
import type { Clock } from '../base/clock.ts';
import type { Guard, Poster } from '../receiver/post.ts';
import type { AttemptRecord } from './attempt.ts';
import { recordOf } from './attempt-record.ts';
import { NEVER_ATTEMPTED } from './queue.ts';
import type { Signer } from './sign.ts';
import type { LaneConfig, SentEvent } from './stages.ts';

export interface AttemptNowParts {
  sign: Signer;
  poster: Poster;
  clock: Clock;
}

export interface HowToAttempt {
  /** The body is signed with the key after this one, as on a retry. */
  lastKey?: string | null;
  headers?: Readonly<Record<string, string>>;
  guard?: Guard;
}

export async function attemptNow(
  { sign, poster, clock }: AttemptNowParts,
  lane: LaneConfig,
  event: SentEvent,
  { lastKey: last_key = null, headers: more, guard }: HowToAttempt = {},
): Promise<AttemptRecord> {
  const { midoffice_id, shard } = lane;
  const place = { seq: 0, partner_id: '', midoffice_id, shard, epoch: 0, order_key: null };
  const startedAtMs = clock.now();
  const due = { ...event, ...place, ...NEVER_ATTEMPTED, last_key, trace_context: null };
  const signed = sign(due, lane);
  const { request, headers, body, identity } = signed;
  const outcome = await poster.post(request.url, { ...headers, ...more }, body, {
    guard,
    identity,
    // Nobody would repeat it if it were lost with a used connection.
    onNewConnection: true,
  });
  return recordOf(signed, outcome, startedAtMs);
}

/**
 * While rotations overlap, each of the keys has its turn, as on retries: a new receiver may know any of them. `lastKey` is
 * what the last attempt was made with. An attempt that is undefined was not made.
 */
export async function withEachKey<Made extends AttemptRecord | undefined>(
  keys: number,
  attempt: (lastKey: string | null) => Promise<Made>,
): Promise<{ made: Made; lastKey: string | null }> {
  let lastKey: string | null = null;
  for (let turnsLeft = keys - 1; ; turnsLeft--) {
    const made = await attempt(lastKey);
    // Without an answer, another key would change nothing.
    const isFinal = !made || made.outcome === 'delivered' || made.status_code === null;
    if (isFinal || turnsLeft <= 0) return { made, lastKey };
    lastKey = made.key_fingerprint;
  }
}
