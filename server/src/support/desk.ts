/** What the support team's verbs work with: one environment, and who is asking. */
import type { Clock } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault.ts';

export interface Desk {
  readonly environment: EnvironmentName;
  readonly store: Store;
  readonly vault: Vault;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly sandboxOffer: { from: string; until: string };
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
