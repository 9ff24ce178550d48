/** What the back office shows of the partner API, which may run in another thread. */
import type { EnvironmentName } from '../base/config/settings.ts';
import type { MetricsFormat } from '../base/metrics.ts';

/** What the partner API of an environment says about itself. All are whole sentences. */
export interface PartnerApiHealth {
  /** Limits that are not shared as they should be. */
  limits?: string | undefined;
  /** A database that cannot be written to. */
  storage?: string | undefined;
  /** How the partner API goes on if the database does not answer; undefined if it cannot. */
  bridge?: string | undefined;
}

export interface ProcessHealth {
  /** It was told to stop. */
  isStopping: boolean;
  environments: Partial<Record<EnvironmentName, PartnerApiHealth>>;
}

export interface PartnerSide {
  health(): ProcessHealth | Promise<ProcessHealth>;
  metricsText(format: MetricsFormat): string | Promise<string>;
}
