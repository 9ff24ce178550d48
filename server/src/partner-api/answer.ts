/**
 * The first flow, top to bottom: authenticate → permit → take a place → limit → answer or forward.
 * Each step either lets the call pass or throws a Refusal; a call that is refused before the limit
 * step, or by it, uses nothing up.
 */
import { OVERVIEW } from '../catalogue.ts';
import type { Clock } from '../clock.ts';
import type { Grant } from '../grants.ts';
import type { Limiter } from '../limits/limiter.ts';
import { readCredentials } from './authorization-header.ts';
import type { Call } from './call.ts';
import { endpointAt } from './endpoints.ts';
import type { FailedLogins } from './failed-logins.ts';
import type { Forwarder } from './forward.ts';
import type { Caller, Keyring } from './keyring.ts';
import { answerOverview } from './overview.ts';
import { Refusal } from './refusal.ts';
import { checkAnnouncedLength, discardBody, hasBody } from './request-body.ts';

export interface Steps {
  keyring: Keyring;
  failedLogins: FailedLogins;
  limiter: Limiter;
  forwarder: Forwarder;
  clock: Clock;
}

/**
 * A failed sign-in is answered this long after its turn came, whatever the look-up took: what remains
 * to be seen from outside is the timer, the same for every reason. Nor is it counted before, or those
 * that wait for it would show when the look-up ended.
 */
const FAILED_SIGN_IN_MS = 20;

/**
 * Undefined once the call is answered, a promise where there is something to wait for. Most calls of
 * the overview wait for nothing, and promises all the same took 2 of their 25 µs.
 */
export function answer(call: Call, steps: Steps): Promise<void> | undefined {
  const caller = recall(call, steps);
  if (caller) return admit(call, caller, steps);
  return signIn(call, steps).then((signedIn) => admit(call, signedIn, steps));
}

function admit(call: Call, caller: Caller, steps: Steps): Promise<void> | undefined {
  permit(call, caller);
  checkMethod(call);
  checkAnnouncedLength(call.request);
  return after(readPastBody(call), () =>
    after(takePlace(call, steps.forwarder), () =>
      after(limitHolding(call, steps.limiter), () => reply(call, caller, steps)),
    ),
  );
}

function reply(call: Call, caller: Caller, steps: Steps): Promise<void> | undefined {
  if (call.endpoint !== OVERVIEW) return steps.forwarder.forward(call);
  answerOverview(call, caller.grants, steps.clock);
  return undefined;
}

function after(
  waiting: Promise<void> | undefined,
  next: () => Promise<void> | undefined,
): Promise<void> | undefined {
  return waiting ? waiting.then(next) : next();
}

function recall(call: Call, { keyring }: Steps): Caller | undefined {
  const { headers, socket } = call.request;
  if (headers.authorization === undefined) return undefined;
  return keyring.recall(headers.authorization, call.address, socket);
}

async function signIn(call: Call, steps: Steps): Promise<Caller> {
  const { keyring, failedLogins, clock } = steps;
  const header = call.request.headers.authorization;
  if (header === undefined) throw new Refusal('noAuthHeader');
  const credentials = readCredentials(header);
  const signedIn = await failedLogins.attempt(call.address, async () => {
    const startedMs = clock.monotonic();
    // A call that had to wait may find that one before it has signed in with the same key.
    const known = recall(call, steps);
    const caller = known ?? (await keyring.verify(header, credentials, call.address));
    if (caller) return caller;
    await new Promise<void>((resolve) => {
      clock.after(FAILED_SIGN_IN_MS - (clock.monotonic() - startedMs), resolve);
    });
    return undefined;
  });
  if (!signedIn) throw new Refusal('incorrectCredentials');
  return signedIn;
}

function permit(call: Call, caller: Caller): void {
  call.keyId = caller.keyId;
  call.partnerId = caller.partnerId;
  if (caller.disabled) throw new Refusal('apiAccessDisabled');
  if (!caller.addressAllowed) throw new Refusal('notAllowedHost');
  call.endpoint = endpointAt(call.path);
  if (call.endpoint === undefined) throw new Refusal('unknownEndpoint');
  call.grant = caller.grants.of(call.endpoint);
  if (!call.grant) throw new Refusal('endpointNotGranted');
  if (!call.grant.is_active) throw new Refusal('endpointNotActive');
}

function checkMethod({ request: { method } }: Call): void {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    throw new Refusal('unexpectedMethod');
  }
}

/** The overview has no use for one. */
function readPastBody(call: Call): Promise<void> | undefined {
  if (call.endpoint !== OVERVIEW || !hasBody(call.request)) return undefined;
  call.askForBody();
  return discardBody(call.request);
}

/** Among the calls in flight to the upstream, if that is where the call goes. */
function takePlace(call: Call, forwarder: Forwarder): Promise<void> | undefined {
  return call.endpoint === OVERVIEW ? undefined : forwarder.admit(call);
}

/** A call that is refused here does not get as far as giving its place back by itself. */
function limitHolding(call: Call, limiter: Limiter): Promise<void> | undefined {
  if (!call.place) return limit(call, limiter);
  try {
    return limit(call, limiter)?.catch((error) => giveUpPlace(call, error));
  } catch (error) {
    return giveUpPlace(call, error);
  }
}

function giveUpPlace(call: Call, error: unknown): never {
  call.place?.release();
  throw error;
}

function limit(call: Call, limiter: Limiter): Promise<void> | undefined {
  const grant = call.grant as Grant;
  if (!grant.is_limited) return undefined;
  const decided = limiter.admit(call.keyId as string, grant.endpoint, {
    requests: grant.requests_number,
    seconds: grant.seconds_number,
  });
  if (decided instanceof Promise) return decided.then((standing) => settle(call, standing));
  settle(call, decided);
  return undefined;
}

function settle(call: Call, standing: NonNullable<Call['standing']>): void {
  call.standing = standing;
  if (!standing.admitted) {
    throw new Refusal('endpointExceededLimit', { retryAfterMs: standing.resetInMs });
  }
}
