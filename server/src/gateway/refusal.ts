/**
 * Every reason for which the partner API refuses a call: one catalogue for the server, the
 * documentation and the tests. The step that refuses throws a `Refusal`. It is not an Error, because
 * nobody needs its stack, and collecting one would cost more than the rest of a 429.
 */
export interface RefusalKind {
  status: number;
  code: string;
  meaning: string;
  /** What the caller should do about it. */
  advice: string;
}

export const refusals = {
  noAuthHeader: {
    status: 401,
    code: 'no_auth_header',
    meaning: 'The request has no Authorization header.',
    advice: 'Send HTTP Basic: the key id as user name, the API key as password.',
  },
  invalidAuthHeader: {
    status: 401,
    code: 'invalid_auth_header',
    meaning:
      'The Authorization header is not HTTP Basic with base64 of "key id:API key", contains control characters, or is longer than 1 KiB.',
    advice: 'Let your HTTP library build the header.',
  },
  incorrectCredentials: {
    status: 401,
    code: 'incorrect_credentials',
    meaning:
      'No such key in this environment, a wrong API key, or a key that was revoked or has expired.',
    advice:
      'Check that the key belongs to this base URL; if it does, ask API support for the state of the key.',
  },
  tooManyFailedLogins: {
    status: 429,
    code: 'too_many_failed_logins',
    meaning: '20 sign-ins failed from this address within 60 seconds.',
    advice: 'Wait for Retry-After seconds, and stop whatever tries wrong credentials.',
  },
  apiAccessDisabled: {
    status: 403,
    code: 'api_access_disabled',
    meaning: 'The key is disabled, or its partner is suspended.',
    advice: 'Ask API support.',
  },
  notAllowedHost: {
    status: 403,
    code: 'not_allowed_host',
    meaning: "The caller's address is not on the key's allow-list.",
    advice: 'Call from an address on the list, or have API support add yours.',
  },
  unknownEndpoint: {
    status: 404,
    code: 'endpoint_not_found',
    meaning: 'The path is not an endpoint of the API.',
    advice: 'Check the path against the overview.',
  },
  endpointNotGranted: {
    status: 403,
    code: 'endpoint_not_found',
    meaning: 'The endpoint is not granted to this key.',
    advice: 'Call one that the overview lists, or ask API support for more.',
  },
  endpointNotActive: {
    status: 403,
    code: 'endpoint_not_active',
    meaning: 'The endpoint is granted but not active for this key.',
    advice: 'Ask API support.',
  },
  tooManyCallsInFlight: {
    status: 429,
    code: 'too_many_calls_in_flight',
    meaning: 'The partner has more calls in progress than its share allows.',
    advice: 'Wait for Retry-After seconds, read replies to the end, and make fewer calls at once.',
  },
  endpointExceededLimit: {
    status: 429,
    code: 'endpoint_exceeded_limit',
    meaning: 'The limit of this key and endpoint is used up.',
    advice: 'Wait for Retry-After seconds.',
  },
  unexpectedMethod: {
    status: 405,
    code: 'unexpected_method',
    meaning: 'The method is not GET, HEAD or POST.',
    advice: 'Use GET, HEAD or POST.',
  },
  bodyTooLarge: {
    status: 413,
    code: 'body_too_large',
    meaning: 'The request body is larger than 1 MiB.',
    advice: 'Send less.',
  },
  upstreamNotConfigured: {
    status: 501,
    code: 'upstream_not_configured',
    meaning: 'This server has no booking core to forward the call to.',
    advice: 'Not every environment has one: ask API support.',
  },
  upstreamUnreachable: {
    status: 502,
    code: 'upstream_unreachable',
    meaning:
      'The booking core could not be reached, closed the connection before it replied, or its reply was not valid HTTP.',
    advice:
      'The call may or may not have been carried out: ask for its outcome before you repeat a booking.',
  },
  upstreamTimeout: {
    status: 504,
    code: 'upstream_timeout',
    meaning: 'The booking core did not start its reply in time.',
    advice:
      'The call may or may not have been carried out: ask for its outcome before you repeat a booking.',
  },
  malformedRequest: {
    status: 400,
    code: 'malformed_request',
    meaning: 'The request is not valid HTTP.',
    advice: 'Look for a program between you and the service that changes requests.',
  },
  requestTimeout: {
    status: 408,
    code: 'request_timeout',
    meaning: 'The request did not arrive in time, or its body arrived too slowly.',
    advice: 'Send it without pauses.',
  },
  headersTooLarge: {
    status: 431,
    code: 'headers_too_large',
    meaning: 'The request line and headers are larger than 16 KiB.',
    advice: 'Send fewer or smaller headers.',
  },
  withoutDatabase: {
    status: 503,
    code: 'unknown',
    meaning: 'The service cannot look up this key at the moment.',
    advice: 'Wait for Retry-After seconds, then try again.',
  },
  unknown: {
    status: 500,
    code: 'unknown',
    meaning: 'An error in the service itself.',
    advice: 'Try again later. If the error persists, send the X-Request-Id to API support.',
  },
} as const satisfies Record<string, RefusalKind>;

export class Refusal {
  readonly kind: RefusalKind;
  readonly retryAfterMs: number | undefined;

  constructor(name: keyof typeof refusals, details: { retryAfterMs?: number } = {}) {
    this.kind = refusals[name];
    this.retryAfterMs = details.retryAfterMs;
  }
}
