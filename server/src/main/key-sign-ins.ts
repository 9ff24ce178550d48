/** What signs the keys of each environment in: its keyring, and the failures that both its listeners count. */
import type { EnvironmentName } from '../base/config/settings.ts';
import { createKeySignIn, type KeySignIn, type KeySignInParts } from '../gateway/key-sign-in.ts';
import { Keyring } from '../gateway/keyring.ts';
import { FailedLogins } from '../gateway/sign-in/failed-logins.ts';
import type { ByEnvironment, CountingEnvironment } from './environment.ts';

export interface OpenKeySignIn extends KeySignInParts {
  /** For the portal. */
  signIn: KeySignIn;
}

export function openKeySignIns(
  environments: ByEnvironment<CountingEnvironment>,
  closing: AsyncDisposableStack,
): ByEnvironment<OpenKeySignIn> {
  const opened = new Map<EnvironmentName, OpenKeySignIn>();
  for (const [name, { store, vault, limiter, clock }] of environments) {
    const { keys: lookup, invalidations, outage } = store;
    const keyring = new Keyring({ lookup, invalidations, outage, vault, clock });
    closing.defer(() => keyring.close());
    const parts = { keyring, failedLogins: new FailedLogins(clock, limiter), clock };
    opened.set(name, { ...parts, signIn: createKeySignIn(parts) });
  }
  return opened;
}
