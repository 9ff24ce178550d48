/** Which calls are recorded for support and the partner, and what is kept of each. Successful calls are only counted. */

import { printable } from '@bellhop/partner/printable';
import { neighbourhood } from '../base/addresses/addresses.ts';
import { endpointAt } from '../base/catalogue.ts';
import { loggedUnknownPath } from '../base/logging/logged-path.ts';
import type { Call } from './call.ts';
import { failures, type RecordedCall } from './recorded-calls/recorded-call.ts';
import { type CallSamples, STRANGERS } from './recorded-calls/samples.ts';
import type { Refusal, RefusalKind } from './refusal.ts';

const LONGEST_PATH = 200;
const KEY_ID = /^[0-9]{1,18}$/;

export interface Ended {
  /** From `failureOf`. */
  code: string;
  /** 499 if no reply was sent. */
  status: number;
  durationMs: number;
  atMs: number;
}

export function noteCall(samples: CallSamples, call: Call, ended: Ended): void {
  const { caller } = call;
  const { code } = ended;
  if (caller) {
    const kind = `${code} ${call.endpoint}`;
    samples.note(caller.keyId, kind, () => lineOf(call, ended));
    return;
  }
  // Anybody can give a key id. Those who do not know its API key have a budget of their own, beside that of the key.
  const by = call.claimed ? `${call.claimed.keyId} without API key` : STRANGERS;
  samples.noteStranger(by, `${code} ${neighbourhood(call.address)}`, () => lineOf(call, ended));
}

/** A request that was refused before it could be read. */
export function noteUnreadable(
  samples: CallSamples,
  refused: { id: string; address: string; kind: RefusalKind; atMs: number },
): void {
  const { id, address, kind, atMs } = refused;
  const { code, status } = kind;
  samples.noteStranger(STRANGERS, `${code} ${neighbourhood(address)}`, () => ({
    ...NOTHING_KNOWN,
    request_id: detached(id),
    at: atMs,
    code,
    status,
    address: detached(address),
    duration_ms: 0,
  }));
}

/** The code of a call that is recorded; undefined if it succeeded. */
export function failureOf(
  call: Call,
  status: number,
  refusal: Refusal | undefined,
): string | undefined {
  if (!call.response.headersSent) return failures.callerGone.code;
  if (refusal) return refusal.kind.code;
  if (call.upstreamBrokeOff) return failures.upstreamBrokeOff.code;
  if (status >= 500) return failures.upstreamError.code;
  return call.response.writableEnded ? undefined : failures.callerGone.code;
}

function lineOf(call: Call, { code, status, durationMs, atMs }: Ended): RecordedCall {
  const { caller, grant, standing } = call;
  const endpoint = call.endpoint ?? endpointAt(call.path) ?? null;
  const owner = caller ?? call.claimed;
  return {
    ...NOTHING_KNOWN,
    request_id: detached(call.id),
    at: atMs,
    ...(owner && { key_id: owner.keyId, partner_id: owner.partnerId }),
    signed_in: caller ? 1 : 0,
    given_key_id: owner ? null : keyIdIn(call.givenKeyId),
    given_api_key: caller?.inOverlap?.fingerprint ?? call.claimed?.fingerprints ?? null,
    endpoint,
    path: endpoint === null ? unknownPathOf(call) : null,
    method: call.request.method ?? null,
    code,
    status,
    ...(grant?.is_limited &&
      standing && {
        requests_number: grant.requests_number,
        seconds_number: grant.seconds_number,
        remaining: standing.remaining,
        resets_at: Math.ceil(atMs + call.resetInMs(call.startedMs + durationMs)),
      }),
    address: detached(call.address),
    upstream_status: call.upstreamStatus ?? null,
    upstream_ms: call.upstreamMs === undefined ? null : rounded(call.upstreamMs),
    duration_ms: rounded(durationMs),
  };
}

function unknownPathOf({ path }: Call): string {
  return detached(printable(loggedUnknownPath(path).slice(0, LONGEST_PATH)));
}

/** Some people send their API key in the place of the key id. Only what could be an id is kept. */
function keyIdIn(given: string | undefined): string | null {
  return given !== undefined && KEY_ID.test(given) ? detached(given) : null;
}

const NOTHING_KNOWN = {
  key_id: '',
  partner_id: '',
  signed_in: 0,
  given_key_id: null,
  given_api_key: null,
  endpoint: null,
  path: null,
  method: null,
  requests_number: null,
  seconds_number: null,
  remaining: null,
  resets_at: null,
  upstream_status: null,
  upstream_ms: null,
  sampled_from: 1,
};

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/**
 * A part of a string keeps the whole in memory: for a request id, the 8 KB from which 128 of them are cut. Lines may
 * wait for long, so they have copies.
 */
function detached(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
