/** Turns errors of the dialler, of Node and of OpenSSL into a failure of the catalogue (failure-codes.ts). */
import { explainError } from '@bellhop/partner/receiver-check';
import { DialRefused } from './connector.ts';
import { type FailureCode, failures } from './failure-codes.ts';
import { ProxyFailed } from './tunnel.ts';

export { BAD_HEADER, HEAD_TOO_LONG, HTTPS_ONLY, NOT_HTTP } from '@bellhop/partner/receiver-check';

export interface Failure {
  code: FailureCode;
  message: string;
}

/** `message`: what is known beyond the code. */
export function failureOf(code: FailureCode, message: string = failures[code].meaning): Failure {
  return { code, message };
}

export const RESET = failureOf('connection_reset');
export const REUSED = failureOf('connection_reused');
export const CONNECT_TIMEOUT = failureOf('connect_timeout');
export const HTTP2_ONLY = failureOf('http2_only');
export const NOT_A_URL = failureOf('bad_url');
export const ABORTED = failureOf('aborted');
export const BROKEN_REPLY = failureOf('protocol');
export const TOO_MANY_HINTS = failureOf(
  'protocol',
  'The receiver sent one 1xx reply after another instead of an answer.',
);

export function explainFailure(error: Error): Failure {
  if (error instanceof DialRefused) return failureOf(error.reason, error.message);
  if (error instanceof ProxyFailed) return failureOf(error.reason, error.message);
  return explainError(error);
}
