/** What the services thread calls in the main thread: about the partner API, and its log. */
import type { PartnerSide } from '../back-office/partner-side.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Outage } from '../database-errors.ts';
import type { ByEnvironment, CountingEnvironment } from '../environment.ts';
import type { EndpointWindow, Standing } from '../limits/limiter.ts';
import type { ProcessLog } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { KeySignedIn, KeySignIn, KeyToSignIn } from '../partner-api/key-sign-in.ts';
import type { RefusedKeys } from '../partner-api/refused-keys.ts';

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
  refusedKeys: ByEnvironment<RefusedKeys>;
  metrics: Metrics;
}

/** The partner side when it is in this thread. */
export function partnerSideOf({
  environments,
  refusedKeys,
  metrics,
}: PartnerSideParts): PartnerSide {
  const troubles = (of: (environment: CountingEnvironment) => string | undefined) =>
    [...environments].flatMap(([name, environment]) => {
      const trouble = of(environment);
      return trouble ? [`${name}: ${trouble}`] : [];
    });
  return {
    troubles: () => troubles(({ limiter }) => limiter.trouble()),
    outages: () =>
      Object.fromEntries(
        [...environments].flatMap(([name, { store }]) => {
          const sentence = sentenceAbout(store.outage);
          return sentence ? [[name, sentence]] : [];
        }),
      ),
    storageTroubles: () => troubles(({ store }) => store.storageTrouble()),
    metricsText: (format) => metrics.text(format),
    refusedKeys: (environment, span) => refusedKeys.get(environment)?.top(span) ?? [],
  };
}

/** Undefined unless calls go on without the database. */
function sentenceAbout(outage: Outage): string | undefined {
  const { sinceMs, untilMs } = outage.span() ?? {};
  if (sinceMs === undefined || untilMs === undefined) return undefined;
  const [since, until] = [sinceMs, untilMs].map((ms) => new Date(ms).toISOString());
  return `the database does not answer since ${since}; keys that signed in before are served until ${until}.`;
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
