/** What the back office shows of the partner API, which may run in another thread. */
import type { EnvironmentName } from '../config/settings.ts';
import type { MetricsFormat } from '../metrics.ts';
import type { RefusalSpan, RefusedKey } from '../partner-api/refused-keys.ts';

export interface PartnerSide {
  /** Whole sentences about limits that are not shared as they should be; empty when all is well. */
  troubles(): string[] | Promise<string[]>;
  /** By environment, a sentence about a database that does not answer although the partner API goes on. */
  outages(): Record<string, string> | Promise<Record<string, string>>;
  /** Whole sentences about databases that the partner API cannot write to. */
  storageTroubles(): string[] | Promise<string[]>;
  metricsText(format: MetricsFormat): string | Promise<string>;
  /** Keys that ran into their limits most in this span, as far as this process saw. */
  refusedKeys(
    environment: EnvironmentName,
    span: RefusalSpan,
  ): RefusedKey[] | Promise<RefusedKey[]>;
}
