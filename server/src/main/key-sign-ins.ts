/** What signs the keys of one environment in: its keyring, and the failures that both its listeners count. */

import type { KeySignInParts } from '../gateway/key-sign-in.ts';
import { Keyring } from '../gateway/keyring.ts';
import { FailedLogins } from '../gateway/sign-in/failed-logins.ts';
import type { CountingEnvironment } from './environment.ts';

export function openKeySignIn(
  { store, vault, limiter, clock }: CountingEnvironment,
  closing: AsyncDisposableStack,
): KeySignInParts {
  const keyring = new Keyring({
    lookup: store.keys,
    invalidations: store.invalidations,
    outage: store.outage,
    vault,
    clock,
  });
  closing.defer(() => keyring.close());
  return { keyring, failedLogins: new FailedLogins(clock, limiter), clock };
}
