/**
 * The second flow as types: Due → Signed → Attempted → Settlement. Each stage takes the previous
 * one and returns the next, so they cannot be run out of order.
 */
import type { BodyForm, OrderEvent } from '@bellhop/partner';
import type { AttemptRecord } from './attempt.ts';

/** A pending delivery in a lane of this node, as it was read from the queue. */
export interface Due {
  seq: number;
  midofficeId: string;
  shard: number;
  /** The shard's epoch when this row was read. A settlement under another epoch is void. */
  epoch: number;
  eventId: string;
  event: OrderEvent;
  /** Partner and order, if the midoffice delivers per order; null otherwise. */
  orderKey: string | null;
  /** The number of the next attempt; the first is 1. */
  attemptNumber: number;
  retriesUsed: number;
  /** For an attempt requested by support: when the scheduled one is due. */
  scheduledAtMs: number | null;
  /** When support last requested an attempt. If it changes during the attempt, another one was requested. */
  askedAtMs: number | null;
  /** The key that signed the body of the previous attempt; null before the first. */
  lastKey: string | null;
  /** The trace of its event (tracing/trace-context.ts, `storedTrace`); null if it has none. */
  trace: string | null;
}

export interface Signed {
  due: Due;
  url: string;
  bodyForm: BodyForm;
  headers: Record<string, string>;
  body: string;
  timestamp: number;
  token: string;
  keyId: string;
  /** Identifies the key value that signed the body; during a rotation there are two. */
  keyFingerprint: string;
}

export interface Attempted {
  due: Due;
  attempt: AttemptRecord;
  endedAtMs: number;
}

/** The effect of an attempt on its delivery, written together with the record of the attempt. */
export interface Settlement {
  due: Due;
  attempt: AttemptRecord;
  state: 'delivered' | 'pending' | 'exhausted';
  /** When the next attempt is due; null once the delivery is settled. */
  dueAtMs: number | null;
  settledAtMs: number | null;
  retriesUsed: number;
}

/** A key and, while rotations overlap, the API keys that it had before. */
export interface SigningKey {
  keyId: string;
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
  midofficeId: string;
  shard: number;
  url: string;
  bodyForm: BodyForm;
  ordered: boolean;
  maxInFlight: number;
  paused: boolean;
  failingSinceMs: number | null;
  signingKey: SigningKey;
  /** The fingerprint of the key that signed the last accepted webhook; null before the first. */
  workedKey: string | null;
}
