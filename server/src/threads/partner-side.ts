/**
 * What the back office needs of the partner API, which may run in another thread: where a key stands
 * with its limits, its health and metrics, and that it drops what it remembers of a changed key.
 */
import type { EnvironmentName } from '../config/settings.ts';
import type { Environment } from '../environment.ts';
import type { Standing, Window } from '../limits/limiter.ts';
import type { Metrics } from '../metrics.ts';
import type { RefusedKey } from '../partner-api/refused-keys.ts';

export interface PartnerSide {
  keysChanged(environment: EnvironmentName, ids: readonly string[]): void | Promise<void>;
  standing(
    environment: EnvironmentName,
    keyId: string,
    endpoint: string,
    window: Window,
  ): Standing | Promise<Standing>;
  /** Whole sentences about limits that are not shared as they should be; empty when all is well. */
  troubles(): string[] | Promise<string[]>;
  /** Whole sentences about databases that the partner API cannot write to. */
  storageTroubles(): string[] | Promise<string[]>;
  metricsText(): string | Promise<string>;
  /** Keys that ran into their limits most in the last hour, as far as this process saw. */
  refusedKeys(environment: EnvironmentName): RefusedKey[] | Promise<RefusedKey[]>;
}

/** The partner side when it is in this thread. */
export function partnerSideOf(
  environments: ReadonlyMap<EnvironmentName, Environment>,
  metrics: Metrics,
): PartnerSide {
  return {
    async keysChanged(environment, ids) {
      await environments.get(environment)?.store.keyChanges.announce(ids);
    },
    standing(environment, keyId, endpoint, window) {
      const found = environments.get(environment);
      if (!found) throw new Error(`${environment} is not served here`);
      return found.limiter.standing(keyId, endpoint, window);
    },
    troubles: () =>
      [...environments].flatMap(([name, { limiter }]) => {
        const trouble = limiter.trouble();
        return trouble ? [`${name}: ${trouble}`] : [];
      }),
    storageTroubles: () =>
      [...environments].flatMap(([name, { store }]) => {
        const trouble = store.storageTrouble();
        return trouble ? [`${name}: ${trouble}`] : [];
      }),
    metricsText: () => metrics.text(),
    refusedKeys: (environment) => environments.get(environment)?.refusedKeys() ?? [],
  };
}
