/**
 * The second flow as types: Due → Signed → Attempted → Settlement. Each stage takes the one before
 * and returns the next, so they cannot be run out of order.
 */
import type { BodyForm, OrderEvent } from '@bellhop/partner';
import type { FailureCode } from '../receiver/failure.ts';

/** A pending delivery of a lane that this node owns, as it was read from the queue. */
export interface Due {
  seq: number;
  midofficeId: string;
  shard: number;
  /** Of the shard when this was read; a settlement under another one is void. */
  epoch: number;
  eventId: string;
  event: OrderEvent;
  /** Partner and order, where events of one order go out one after another; null otherwise. */
  orderKey: string | null;
  /** Of the attempt that is about to be made; the first is 1. */
  attemptNumber: number;
  retriesUsed: number;
  /** Of an attempt by hand: when the schedule's own is due. */
  scheduledAtMs: number | null;
  /** When support last asked for an attempt; another value at the end means one more was asked for. */
  askedAtMs: number | null;
  /** The key that signed the body of the attempt before; null before the first. */
  lastKey: string | null;
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
  /** Which of the key's values signed the body, while a rotation overlaps. */
  keyFingerprint: string;
}

export interface Attempted {
  due: Due;
  attempt: AttemptRecord;
  endedAtMs: number;
}

/** What an attempt means for its delivery, to be written together with the record of the attempt. */
export interface Settlement {
  due: Due;
  attempt: AttemptRecord;
  state: 'delivered' | 'pending' | 'exhausted';
  /** The next attempt's; null once it is settled. */
  dueAtMs: number | null;
  settledAtMs: number | null;
  retriesUsed: number;
}

export interface AttemptRecord {
  number: number;
  startedAtMs: number;
  durationMs: number;
  outcome: 'delivered' | 'failed';
  statusCode: number | null;
  replyExcerpt: string | null;
  /** A whole sentence; null when delivered. */
  error: string | null;
  /** Null when delivered. */
  failureCode: AttemptFailure | null;
  signatureTimestamp: number;
  signatureToken: string;
  /** As they were then: support is asked about this attempt, not about the midoffice of today. */
  url: string;
  bodyForm: BodyForm;
  userAgent: string;
  keyId: string;
  keyFingerprint: string;
}

/** `status`: it was answered, with something other than 2xx. `signing`: there was nothing to send. */
export type AttemptFailure = FailureCode | 'status' | 'signing';

/** A key and, while a rotation overlaps, the value it had before. */
export interface SigningKey {
  keyId: string;
  current: SealedKey;
  previous: (SealedKey & { untilMs: number }) | null;
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
  /** The fingerprint of the key that signed what its receiver last took; null if it took nothing yet. */
  workedKey: string | null;
}
