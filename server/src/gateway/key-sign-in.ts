/**
 * Signs a key in: for a call of the partner API, and for people who sign in to the portal with their key. Both take the
 * same path and count failures together, so that nobody guesses in one place what the other would refuse.
 */
import type { Clock } from '../base/clock.ts';
import { DatabaseAway } from '../base/database-errors.ts';
import { type Credentials, readCredentials } from './authorization-header.ts';
import type { Caller, Claim, Keyring } from './keyring.ts';
import { Refusal } from './refusal.ts';
import { type FailedLogins, TooManyFailedLogins } from './sign-in/failed-logins.ts';

/**
 * A failed sign-in is answered this long after its turn came, however long the look-up took, and however it
 * failed. From outside, only the timer can be seen, and it is the same for every reason. The failure is not counted
 * earlier either, because the sign-ins that wait for it would reveal when the look-up ended.
 */
const FAILED_SIGN_IN_MS = 20;

export interface KeySignInParts {
  keyring: Keyring;
  failedLogins: FailedLogins;
  clock: Clock;
}

interface Attempt {
  header: string;
  /** Undefined if no key can have them. They are refused like any other wrong ones. */
  credentials: Credentials | undefined;
  address: string;
  /** While this one waited, another may have signed in with the same key. */
  recall(): Caller | undefined;
  /** As in `Keyring.verify`. */
  onClaim?(claim: Claim): void;
}

/** Undefined if the credentials are wrong. Rejects with TooManyFailedLogins if the address is held back. */
export function verifyKey(
  { keyring, failedLogins, clock }: KeySignInParts,
  { header, credentials, address, recall, onClaim = () => {} }: Attempt,
): Promise<Caller | undefined> {
  return failedLogins.attempt(address, async () => {
    const startedMs = clock.monotonic();
    const known = recall();
    if (known) return known;
    const verified = credentials
      ? keyring.verify(header, credentials, address, onClaim)
      : Promise.resolve(undefined);
    if (await verified.catch(() => undefined)) return verified;
    await new Promise<void>((resolve) => {
      clock.after(FAILED_SIGN_IN_MS - (clock.monotonic() - startedMs), resolve);
    });
    return verified;
  });
}

export interface KeyToSignIn extends Credentials {
  address: string;
}

/** How it ended, in a form that a message between threads can carry. */
export type KeySignedIn =
  | { outcome: 'signed_in'; keyId: string; partnerId: string }
  | { outcome: 'incorrect_credentials' | 'api_access_disabled' | 'not_allowed_host' }
  | { outcome: 'too_many_failed_logins'; retryAfterMs: number }
  | { outcome: 'database_unavailable' };

export type KeySignIn = (key: KeyToSignIn) => Promise<KeySignedIn>;

/** For the portal: what the partner API checks of a key before it looks at the endpoint. */
export function createKeySignIn(parts: KeySignInParts): KeySignIn {
  return async ({ keyId, apiKey, address }) => {
    try {
      const header = `Basic ${Buffer.from(`${keyId}:${apiKey}`).toString('base64')}`;
      const credentials = credentialsIn(header);
      const recall = () => parts.keyring.recall(header, address, {});
      const caller = await verifyKey(parts, { header, credentials, address, recall });
      if (!caller) return { outcome: 'incorrect_credentials' };
      if (caller.disabled) return { outcome: 'api_access_disabled' };
      if (!caller.addressAllowed) return { outcome: 'not_allowed_host' };
      return { outcome: 'signed_in', keyId: caller.keyId, partnerId: caller.partnerId };
    } catch (error) {
      if (error instanceof DatabaseAway) return { outcome: 'database_unavailable' };
      if (!(error instanceof TooManyFailedLogins)) throw error;
      return { outcome: 'too_many_failed_logins', retryAfterMs: error.retryAfterMs };
    }
  };
}

/** People may type what no header can hold. */
function credentialsIn(header: string): Credentials | undefined {
  try {
    return readCredentials(header);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
