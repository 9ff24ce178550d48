/** How much of Bellhop and of the upstream forwarded calls may use. See docs/limits.md. */
export interface ForwardLimits {
  /** Calls in flight to the upstream from this process, and so connections to it. */
  callsInFlight: number;
  /** A partner with fewer than this in flight is let in while there is any room at all. */
  firstCalls: number;
  /** Room that only those first calls may use. */
  reservedCalls: number;
  /** How long a call waits for another of the same partner to end before it is refused. */
  waitMs: number;
  /** Calls of one partner that may wait; more are refused at once. */
  longestQueue: number;
  /** A body announced to be no larger is sent on when all of it is here; others are streamed. */
  wholeBodyBytes: number;
  /** A body must be complete, or bring `paceBytes` more, in each span of `paceMs`. */
  paceBytes: number;
  paceMs: number;
  /** What is taken off the upstream before the caller has read it. */
  readAheadBytes: number;
  /** A caller must take what waits for it within this time. */
  readerMs: number;
}

export const FORWARD_LIMITS: ForwardLimits = {
  callsInFlight: 512,
  firstCalls: 8,
  reservedCalls: 128,
  waitMs: 2_000,
  longestQueue: 1_024,
  wholeBodyBytes: 65_536,
  paceBytes: 65_536,
  paceMs: 10_000,
  readAheadBytes: 262_144,
  readerMs: 30_000,
};
