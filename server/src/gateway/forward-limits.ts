/** How much of Bellhop and of the upstream forwarded calls may use. See docs/limits.md. */
import { type Pace, SENDER_PACE } from '../listener/pace.ts';

export interface ForwardLimits extends Pace {
  /** Calls in flight to the upstream from this process, each with its own connection. */
  callsInFlight: number;
  /** A partner with fewer calls in flight than this is admitted while there is any room at all. */
  firstCalls: number;
  /** Slots that only those first calls may use. */
  reservedCalls: number;
  /** How long a call waits for another of the same partner to end before it is refused. */
  waitMs: number;
  /** Calls of one partner that may wait; more are refused at once. */
  longestQueue: number;
  /** A body with at most this `Content-Length` is forwarded once it is complete; others are streamed. */
  wholeBodyBytes: number;
  /** How much of the reply is read from the upstream ahead of the caller. */
  readAheadBytes: number;
  /** A caller must read the waiting reply data within this time. */
  readerMs: number;
}

export const FORWARD_LIMITS: ForwardLimits = {
  ...SENDER_PACE,
  callsInFlight: 512,
  firstCalls: 8,
  reservedCalls: 128,
  waitMs: 2_000,
  longestQueue: 1_024,
  wholeBodyBytes: 65_536,
  readAheadBytes: 262_144,
  readerMs: 30_000,
};
