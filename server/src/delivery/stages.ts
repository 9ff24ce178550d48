/**
 * The second flow as types: Claimed → Signed → Attempted → Settlement. Each stage takes the one
 * before and gives the next, so they cannot be run out of order.
 */
import type { BodyForm, OrderEvent } from '@bellhop/partner';
import type { FailureCode } from './receiver/failure.ts';

/** A pending delivery that this node alone may attempt, until its lease ends. */
export interface Claimed {
  seq: number;
  lease: string;
  midofficeId: string;
  eventId: string;
  event: OrderEvent;
  ordered: boolean;
  /** Of the attempt that is about to be made; the first is 1. */
  attemptNumber: number;
  retriesUsed: number;
  /** Of an attempt by hand: when the schedule's own is due. */
  scheduledAtMs: number | null;
  /** The key that signed the body of the attempt before; null before the first. */
  lastKey: string | null;
}

export interface Signed {
  claimed: Claimed;
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
  claimed: Claimed;
  attempt: AttemptRecord;
  endedAtMs: number;
}

/** What an attempt means for its delivery, to be written together with the record of the attempt. */
export interface Settlement {
  claimed: Claimed;
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
