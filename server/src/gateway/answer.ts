/**
 * The first flow, top to bottom: authenticate → permit → reserve → count → answer or forward. Each step
 * takes the previous stage (stages.ts) and returns the next, or throws a Refusal. A call that is
 * refused before the count, or by it, does not use up the limit.
 *
 * Steps return a promise only if there is something to wait for. Most calls of the overview wait for
 * nothing, and unnecessary promises took 2 of their 25 µs.
 */
import { endpointAt, OVERVIEW } from '../base/catalogue.ts';
import type { Clock } from '../base/clock.ts';
import type { Limiter, Standing } from '../limiter/limiter.ts';
import { hasBody } from '../listener/linger.ts';
import { readCredentials } from './authorization-header.ts';
import type { Call } from './call.ts';
import { Slot } from './calls-in-flight.ts';
import { type KeySignInParts, verifyKey } from './key-sign-in.ts';
import type { Caller } from './keyring.ts';
import { answerOverview } from './overview.ts';
import { Refusal } from './refusal.ts';
import { checkAnnouncedLength, discardBody } from './request-body.ts';
import { TooManyFailedLogins } from './sign-in/failed-logins.ts';
import type { Authenticated, Counted, Permitted, Reserved } from './stages.ts';

export interface Steps extends KeySignInParts {
  limiter: Limiter;
  forwarder: Forwarder;
}

/** Undefined if the call has been answered. */
export function answer(call: Call, steps: Steps): Promise<void> | undefined {
  const caller = recall(call, steps);
  if (caller) return proceed(authenticated(call, caller), steps);
  return signIn(call, steps).then((signedIn) => proceed(authenticated(call, signedIn), steps));
}

function proceed(authenticated: Authenticated, steps: Steps): Promise<void> | undefined {
  const permitted = permit(authenticated);
  return permitted.endpoint === OVERVIEW
    ? serveOverview(permitted, steps)
    : forward(permitted, steps);
}

function serveOverview(permitted: Permitted, steps: Steps): Promise<void> | undefined {
  const reading = readPastBody(permitted.call, steps.clock);
  return reading
    ? reading.then(() => countAndAnswer(permitted, steps))
    : countAndAnswer(permitted, steps);
}

function countAndAnswer(permitted: Permitted, steps: Steps): Promise<void> | undefined {
  const counted = count(permitted, steps);
  if (counted instanceof Promise) return counted.then((one) => answerOverview(one, steps.clock));
  answerOverview(counted, steps.clock);
  return undefined;
}

function forward(permitted: Permitted, steps: Steps): Promise<void> {
  const reserved = steps.forwarder.reserve(permitted);
  return reserved instanceof Promise
    ? reserved.then((one) => countAndForward(one, steps))
    : countAndForward(reserved, steps);
}

function countAndForward(reserved: Reserved, steps: Steps): Promise<void> {
  const { forwarder } = steps;
  const counted = countReserved(reserved, steps);
  return counted instanceof Promise
    ? counted.then((one) => forwarder.forward(one))
    : forwarder.forward(counted);
}

function authenticated(call: Call, caller: Caller): Authenticated {
  call.caller = caller;
  return { call, caller };
}

function recall(call: Call, { keyring }: Steps): Caller | undefined {
  const { headers, socket } = call.request;
  if (headers.authorization === undefined) return undefined;
  return keyring.recall(headers.authorization, call.address, socket);
}

async function signIn(call: Call, steps: Steps): Promise<Caller> {
  const { address } = call;
  const header = call.request.headers.authorization;
  if (header === undefined) throw new Refusal('noAuthHeader');
  const credentials = readCredentials(header);
  try {
    const signedIn = await verifyKey(steps, {
      header,
      credentials,
      address,
      recall: () => recall(call, steps),
      onClaim(claim) {
        call.claimed = claim;
      },
    });
    if (!signedIn) {
      call.givenKeyId = credentials?.keyId;
      throw new Refusal('incorrectCredentials');
    }
    return signedIn;
  } catch (error) {
    if (!(error instanceof TooManyFailedLogins)) throw error;
    throw new Refusal('tooManyFailedLogins', { retryAfterMs: error.retryAfterMs });
  }
}

function permit({ call, caller }: Authenticated): Permitted {
  const endpoint = endpointAt(call.path);
  // Before anything is refused: every refusal after the sign-in names it.
  call.endpoint = endpoint;
  if (caller.disabled) throw new Refusal('apiAccessDisabled');
  if (!caller.addressAllowed) throw new Refusal('notAllowedHost');
  if (endpoint === undefined) throw new Refusal('unknownEndpoint');
  const grant = caller.grants.of(endpoint);
  if (!grant) throw new Refusal('endpointNotGranted');
  call.grant = grant;
  if (!grant.is_active) throw new Refusal('endpointNotActive');
  const method = methodOf(call);
  checkAnnouncedLength(call.request);
  return { call, caller, endpoint, grant, method };
}

function methodOf({ request: { method } }: Call): Permitted['method'] {
  if (method === 'GET' || method === 'HEAD' || method === 'POST') return method;
  throw new Refusal('unexpectedMethod');
}

/** The overview ignores a body. */
function readPastBody(call: Call, clock: Clock): Promise<void> | undefined {
  if (!hasBody(call.request)) return undefined;
  call.askForBody();
  return discardBody(call.request, clock);
}

/** A call that is refused here does not reach the forwarder, which would release its slot. */
function countReserved(
  reserved: Reserved,
  steps: Steps,
): Counted<Reserved> | Promise<Counted<Reserved>> {
  try {
    const counted = count(reserved, steps);
    return counted instanceof Promise ? releaseIfRefused(counted, reserved.slot) : counted;
  } catch (error) {
    reserved.slot.release();
    throw error;
  }
}

function releaseIfRefused<T>(counted: Promise<T>, slot: Slot): Promise<T> {
  return counted.catch((error) => {
    slot.release();
    throw error;
  });
}

function count<Stage extends Permitted>(
  stage: Stage,
  { limiter, clock }: Steps,
): Counted<Stage> | Promise<Counted<Stage>> {
  const { caller, grant } = stage;
  if (!grant.is_limited) {
    stage.call.isAdmitted = true;
    return { stage };
  }
  const decided = limiter.admit(caller.keyId, grant.endpoint, {
    requests: grant.requests_number,
    seconds: grant.seconds_number,
  });
  return decided instanceof Promise
    ? decided.then((standing) => counted(stage, standing, clock))
    : counted(stage, decided, clock);
}

function counted<Stage extends Permitted>(
  stage: Stage,
  standing: Standing,
  clock: Clock,
): Counted<Stage> {
  stage.call.stands(standing, clock.monotonic());
  if (!standing.admitted) {
    throw new Refusal('endpointExceededLimit', { retryAfterMs: standing.resetInMs });
  }
  stage.call.isAdmitted = true;
  return { stage };
}

/** What the flow needs from forwarding. forward.ts implements it, and is loaded only if there is an upstream. */
export interface Forwarder {
  /** A promise while the call waits for a slot. A call that has one is forwarded, or must release it. */
  reserve(permitted: Permitted): Reserved | Promise<Reserved>;
  forward(counted: Counted<Reserved>): Promise<void>;
  close(): Promise<void>;
}

/** Used if no upstream is set: every call gets a slot, and then 501. */
export const noUpstream: Forwarder = {
  reserve: (permitted) => ({ ...permitted, slot: new Slot(() => {}) }),
  forward: () => Promise.reject(new Refusal('upstreamNotConfigured')),
  close: () => Promise.resolve(),
};
