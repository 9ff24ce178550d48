/**
 * A refused or failed call of the partner API, as support and the partner find it later. The row of the database
 * has exactly these fields. Nothing in it is a secret: neither the query, nor a header, nor a body.
 */
export interface RecordedCall {
  request_id: string;
  /** When it ended. */
  at: number;
  /** Whose key id was given; empty if it is not the id of a key of this environment. */
  key_id: string;
  partner_id: string;
  /** 0 if the API key was wrong: then anybody may have made the call, not only the partner. */
  signed_in: number;
  /** The key id that was given, if it is not that of a key of this environment but could be one. */
  given_key_id: string | null;
  /** Fingerprints of the API key that was given; null if nobody could mistake it, or there was none. */
  given_api_key: string | null;
  /** The catalogue's spelling; null if the path is not an endpoint. */
  endpoint: string | null;
  /** The beginning of a path that is not an endpoint. */
  path: string | null;
  method: string | null;
  /** A code of the partner API's error catalogue, or one of `failures`. */
  code: string;
  status: number;
  /** The limit and its state; null if the endpoint is not limited or the call did not get that far. */
  requests_number: number | null;
  seconds_number: number | null;
  remaining: number | null;
  resets_at: number | null;
  address: string;
  /** Null if the upstream was not asked, or did not answer. */
  upstream_status: number | null;
  /** How long the upstream took to begin its reply, or was waited for. */
  upstream_ms: number | null;
  duration_ms: number;
  /** How many calls of the same caller, code and endpoint this one stands for, itself included. */
  sampled_from: number;
}

/** Calls that failed although Bellhop did not refuse them. */
export const failures = {
  upstreamError: {
    code: 'upstream_error',
    meaning: 'The booking core answered with an error of its own (5xx), which was passed on.',
    advice:
      'The call may or may not have been carried out: ask for its outcome before you repeat a booking.',
  },
  upstreamBrokeOff: {
    code: 'upstream_broke_off',
    meaning: 'The reply of the booking core broke off, so the connection was closed.',
    advice:
      'The call may or may not have been carried out: ask for its outcome before you repeat a booking.',
  },
  callerGone: {
    code: 'caller_gone',
    meaning: 'The caller closed the connection before it had the whole reply.',
    advice: 'Wait longer for replies, and read them to the end.',
  },
} as const;

/** What the recorder needs from the store. */
export interface CallStore {
  /** A call that was written before is not written again. */
  add(calls: readonly RecordedCall[]): Promise<void>;
}
