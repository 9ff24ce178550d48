/**
 * The second flow as types: Claimed → Signed → Attempted → Settlement. Each stage takes the one
 * before and gives the next, so they cannot be run out of order.
 */
import type { BodyForm, OrderEvent } from '@bellhop/partner';
import type { Answered, Failed } from './receiver/exchange.ts';

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
}

export interface Signed {
  claimed: Claimed;
  url: string;
  headers: Record<string, string>;
  body: string;
  timestamp: number;
  token: string;
}

export interface Attempted {
  signed: Signed;
  startedAtMs: number;
  endedAtMs: number;
  outcome: Answered | Failed;
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
  signatureTimestamp: number;
  signatureToken: string;
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
  signingKey: {
    keyId: string;
    sealedKey: string;
    previousSealedKey: string | null;
    previousUntilMs: number | null;
  };
}
