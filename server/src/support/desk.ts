/** What the support team's verbs work with: one environment. */
import type { OrderEvent } from '@bellhop/partner';
import type { Clock } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { AttemptRecord } from '../delivery/stages.ts';
import type { LimitReader } from '../limits/limiter.ts';
import type { AcceptEvents } from '../orders/accept.ts';
import type { Intake } from '../orders/intake.ts';
import type { CheckedForm } from '../receiver-check/lines.ts';
import type { Report } from '../receiver-check/report.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault.ts';

/** The data of one environment, which is all that most verbs need. */
export interface EnvironmentData {
  readonly environment: EnvironmentName;
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly sandboxOffer: { from: string; until: string };
}

export interface Desk extends EnvironmentData {
  readonly limiter: LimitReader;
  readonly webhooks: Webhooks;
}

/**
 * What support needs of the second flow: the receiver guard, one attempt now, a receiver's
 * certification, and events in.
 */
export interface Webhooks {
  checkUrl(url: string): Promise<{ ok: true; url: string } | { ok: false; detail: string }>;
  attemptNow(midofficeId: string, event: OrderEvent): Promise<AttemptRecord>;
  /** Plays the service against the midoffice's receiver; takes half a minute at the most. */
  certifyReceiver(midofficeId: string, form: CheckedForm): Promise<Report>;
  accept: AcceptEvents;
  readonly intake: Intake;
  /** The waits before each retry, in milliseconds. */
  readonly retrySchedule: readonly number[];
  /** Attempts under way in this process. */
  attemptsInFlight(): number;
  /** Whether one of them is this delivery's. */
  isInFlight(seq: number): boolean;
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
