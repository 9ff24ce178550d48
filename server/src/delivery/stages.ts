/**
 * The second flow as types: Due → Signed → Attempted → Settlement. Each stage takes the previous
 * one and returns the next, so they cannot be run out of order. Fields that are stored have the names of
 * their columns; camelCase is for what exists only in memory.
 */

import type { BodyForm } from '@bellhop/partner';
import type { ClientIdentity } from '../receiver/client-certificate.ts';
import type { AttemptRecord } from './attempt.ts';
import type { EventContent } from './orders/judge.ts';
import type { AttemptedState } from './states.ts';

/** What a receiver learns of an event. */
export interface SentEvent extends Omit<EventContent, 'partner_id' | 'asked_midoffice_id'> {
  event_id: string;
}

/** A pending delivery in a lane of this node, as it was read from the queue. */
export interface Due extends SentEvent {
  seq: number;
  /** Not sent: for storing the event again after a failover. */
  partner_id: string;
  midoffice_id: string;
  shard: number;
  /** The shard's epoch when this row was read. A settlement under another epoch is void. */
  epoch: number;
  /** Partner and order, if the midoffice delivers per order; null otherwise. */
  order_key: string | null;
  attempts_made: number;
  retries_used: number;
  /** For an attempt requested by support: when the scheduled one is due. */
  scheduled_at: number | null;
  /** When support last requested an attempt. If it changes during the attempt, another one was requested. */
  asked_at: number | null;
  /** The key that signed the body of the previous attempt; null before the first. */
  last_key: string | null;
  /** The trace of its event (base/tracing/trace-context.ts, `storedTrace`); null if it has none. */
  trace_context: string | null;
  /** The attempt before met the end of a used connection. */
  onNewConnection?: true;
}

export interface Signed {
  due: Due;
  headers: Record<string, string>;
  body: string;
  /** The certificate that the receiver may ask for. */
  identity: ClientIdentity | undefined;
  /** What the record of the attempt says about the request. */
  request: SignedRequest;
}

export type SignedRequest = Pick<
  AttemptRecord,
  | 'signature_timestamp'
  | 'signature_token'
  | 'url'
  | 'body_form'
  | 'user_agent'
  | 'key_id'
  | 'key_fingerprint'
>;

export interface Attempted {
  due: Due;
  attempt: AttemptRecord;
  endedAtMs: number;
}

/** The effect of an attempt on its delivery, written together with the record of the attempt. */
export type Settlement = Postponed | Ended;

interface Effect {
  due: Due;
  attempt: AttemptRecord;
  /** As in `Due`, for the next attempt. */
  last_key: string | null;
}

/** Another attempt follows. */
export interface Postponed extends Effect {
  state: 'pending';
  due_at: number;
  retries_used: number;
  scheduled_at: number | null;
}

export interface Ended extends Effect {
  state: Exclude<AttemptedState, 'pending' | 'cancelled'>;
  settled_at: number;
}

/** A key and, while rotations overlap, the API keys that it had before. */
export interface SigningKey {
  key_id: string;
  current: SealedKey;
  /** The newest first. */
  previous: readonly (SealedKey & { untilMs: number })[];
}

export interface SealedKey {
  sealed: string;
  fingerprint: string;
}

/** A midoffice as the worker needs it. */
export interface LaneConfig {
  midoffice_id: string;
  shard: number;
  url: string;
  body_form: BodyForm;
  ordered: boolean;
  /** Some rows may still be queued under another order: none may be sent before they are restated. */
  restating: boolean;
  max_in_flight: number;
  /** How many attempts may begin in any second; null if there is no such limit. */
  max_per_second: number | null;
  /** Its additional headers, as they are stored (webhook-headers.ts). */
  headers: string | null;
  /** As it is stored (client-certificate.ts). */
  client_certificate: string | null;
  paused: boolean;
  failing_since: number | null;
  signingKey: SigningKey;
  /** The fingerprint of the key that signed the last accepted webhook; null before the first. */
  worked_key: string | null;
}
