/** What the services thread calls in the main thread: about the partner API, and its log. */

import type { EnvironmentName } from '../../base/config/settings.ts';
import type { ProcessLog } from '../../base/log.ts';
import type { KeySignedIn, KeyToSignIn } from '../../gateway/key-sign-in.ts';
import type { EndpointWindow, Standing } from '../../limiter/limiter.ts';
import type { PartnerSide } from '../../office/partner-side.ts';
import type { CountingEnvironment } from '../environment.ts';
import type { Shared } from '../shared.ts';

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

export function mainSideOf({
  environments,
  keySignIns,
  metrics,
  log,
  isStopping,
}: Pick<Shared, 'environments' | 'keySignIns' | 'metrics'> & {
  log: Pick<ProcessLog, 'take'>;
  isStopping(): boolean;
}): MainSide {
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
    beat() {},
    takeLines: (lines, dropped) => log.take(lines, dropped),
    async invalidate(environment, ids) {
      await environments.get(environment)?.store.invalidations.announce(ids);
    },
    async signInWithKey(environment, key) {
      return served(keySignIns.get(environment), environment).signIn(key);
    },
    async standings(environment, keyId, windows) {
      return served(environments.get(environment), environment).limiter.standings(keyId, windows);
    },
  };
}

function served<T>(found: T | undefined, environment: EnvironmentName): T {
  if (!found) throw new Error(`${environment} is not served here`);
  return found;
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
