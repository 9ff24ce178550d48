/** What the services thread calls in the main thread: about the partner API, and its log. */

import type { EnvironmentName } from '../../base/config/settings.ts';
import type { ProcessLog } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { KeySignedIn, KeySignIn, KeyToSignIn } from '../../gateway/key-sign-in.ts';
import type { EndpointWindow, Standing } from '../../limiter/limiter.ts';
import type { PartnerSide } from '../../office/partner-side.ts';
import type { ByEnvironment, CountingEnvironment } from '../environment.ts';

export interface MainSide extends PartnerSide {
  beat(): void;
  takeLines(lines: Uint8Array, dropped: number): void;
  /** Resolves when the partner API has dropped the cached sign-ins of these keys. */
  invalidate(environment: EnvironmentName, ids: readonly string[]): Promise<void>;
  /** For the portal. */
  signInWithKey(environment: EnvironmentName, key: KeyToSignIn): Promise<KeySignedIn>;
  standings(
    environment: EnvironmentName,
    keyId: string,
    windows: readonly EndpointWindow[],
  ): Promise<Standing[]>;
}

export interface PartnerSideParts {
  environments: ByEnvironment<CountingEnvironment>;
  metrics: Metrics;
  isStopping(): boolean;
}

/** The partner side when it is in this thread. */
export function partnerSideOf({
  environments,
  metrics,
  isStopping,
}: PartnerSideParts): PartnerSide {
  return {
    health: () => ({
      isStopping: isStopping(),
      environments: Object.fromEntries(
        [...environments].map(([name, environment]) => [
          name,
          {
            limits: environment.limiter.trouble(),
            storage: environment.store.storageTrouble(),
            bridge: bridgeOf(environment),
          },
        ]),
      ),
    }),
    metricsText: (format) => metrics.text(format),
  };
}

/** For a database that does not answer, also in the first moment. Undefined unless calls go on without it. */
function bridgeOf({ store: { outage }, settings, clock }: CountingEnvironment): string | undefined {
  if (!outage.mayGoOn()) return undefined;
  const sinceMs = clock.now() - outage.silentForMs();
  const untilMs = sinceMs + settings.serveWithoutDatabaseMs;
  const [since, until] = [sinceMs, untilMs].map((ms) => new Date(ms).toISOString());
  const trouble = outage.refusal() ?? 'the database does not answer';
  return `${trouble} since ${since}; keys that signed in before are served until ${until}.`;
}

export function mainSideOf(
  parts: PartnerSideParts & { keySignIns: ByEnvironment<KeySignIn>; log: ProcessLog },
): MainSide {
  const { environments, keySignIns, log } = parts;
  return {
    ...partnerSideOf(parts),
    beat() {},
    takeLines: (lines, dropped) => log.take(lines, dropped),
    async invalidate(environment, ids) {
      await environments.get(environment)?.store.invalidations.announce(ids);
    },
    async signInWithKey(environment, key) {
      const signIn = keySignIns.get(environment);
      if (!signIn) throw new Error(`${environment} is not served here`);
      return signIn(key);
    },
    async standings(environment, keyId, windows) {
      const limiter = environments.get(environment)?.limiter;
      if (!limiter) throw new Error(`${environment} is not served here`);
      return limiter.standings(keyId, windows);
    },
  };
}
