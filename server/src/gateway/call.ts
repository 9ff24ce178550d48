/** One request, and what the log and a refusal say about it: which stages it has reached. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Grant } from '../base/grants.ts';
import { newRequestId } from '../base/ids.ts';
import type { OpenSpan } from '../base/tracing/span.ts';
import type { Standing } from '../limiter/limiter.ts';
import { withoutOrigin } from '../listener/valid-message.ts';
import type { Caller, Claim } from './keyring.ts';

export class Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id = newRequestId();
  readonly startedMs: number;
  readonly address: string;
  /** Without the query. */
  readonly path: string;
  /** With the question mark; empty if there is none. */
  readonly query: string;

  caller: Caller | undefined;
  /** Whose key id came with a wrong API key. The caller must not learn that there is such a key. */
  claimed: Claim | undefined;
  /** The key id that came with credentials that do not sign in, whether or not there is such a key. */
  givenKeyId: string | undefined;
  /** The catalogue's spelling of the path. */
  endpoint: string | undefined;
  grant: Grant | undefined;
  /** Where its limit stood, from `stands`. */
  standing: Standing | undefined;
  #stoodMs = 0;
  /** Its limit had room, or it has none. `standing` alone does not say so: refusals show it, too. */
  isAdmitted = false;
  /** What the upstream answered, and how long it was waited for; undefined if it was not asked. */
  upstreamStatus: number | undefined;
  upstreamMs: number | undefined;
  /** Its reply ended too early, after the beginning had been sent. */
  upstreamBrokeOff = false;
  /** The caller sent `Expect: 100-continue` and sends its body only when it is told to continue. */
  expectsContinue = false;
  /** Undefined if calls are not traced. */
  trace: OpenSpan | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    address: string,
    startedMs: number,
  ) {
    this.request = request;
    this.response = response;
    this.address = address;
    this.startedMs = startedMs;
    const { path, query } = splitTarget(request.url ?? '/');
    this.path = path;
    this.query = query;
  }

  stands(standing: Standing, nowMs: number): void {
    this.standing = standing;
    this.#stoodMs = nowMs;
  }

  /** Until its limit's reset. The upstream or the rest of the body may have taken long since the limit was looked at. */
  resetInMs(nowMs: number): number {
    if (!this.standing) return 0;
    return Math.max(this.standing.resetInMs - (nowMs - this.#stoodMs), 0);
  }

  /** Tells a caller that waits with its body to send it. */
  askForBody(): void {
    if (this.expectsContinue) this.response.writeContinue();
    this.expectsContinue = false;
  }
}

export function splitTarget(whole: string): Pick<Call, 'path' | 'query'> {
  const target = withoutOrigin(whole);
  const questionMark = target.indexOf('?');
  if (questionMark < 0) return { path: target, query: '' };
  return { path: target.slice(0, questionMark), query: target.slice(questionMark) };
}

/** The envelope's `debug` object. */
export function debugOf(call: Call, utcnowMs: number): Record<string, string> {
  return {
    request_id: call.id,
    real_ip: call.address,
    utcnow: new Date(utcnowMs).toISOString(),
    ...(call.caller && { key_id: call.caller.keyId }),
    ...(call.endpoint !== undefined && { api_endpoint: call.endpoint }),
  };
}
