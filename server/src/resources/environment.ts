/** One environment, with what support's actions need of it. */

import type { BodyForm } from '@bellhop/partner';
import type { CheckedForm, Report } from '@bellhop/partner/receiver-check';
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Vault } from '../base/sealing/vault.ts';
import type { AttemptRecord } from '../delivery/attempt.ts';
import type { AcceptEvents } from '../delivery/orders/accept.ts';
import type { Intake } from '../delivery/orders/intake.ts';
import type { Rehearse } from '../delivery/rehearse.ts';
import type { SentEvent } from '../delivery/stages.ts';
import type { LimitReader } from '../limiter/limiter.ts';
import type { Store } from '../store/store.ts';

/** The data of an environment, which is all that some actions need. */
export interface EnvironmentData {
  readonly name: EnvironmentName;
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly sandboxOffer: { from: string; until: string };
}

export interface SupportEnvironment extends EnvironmentData {
  readonly limiter: LimitReader;
  readonly webhooks: Webhooks;
  /** Where partners find the portal, without a slash at the end. */
  portalUrl(): string;
  /** This process serves the portal, or `BELLHOP_PORTAL_URL` says where others serve it. */
  readonly hasPortal: boolean;
  /** Whether there is a mail server, so that contacts can be confirmed and told. */
  readonly sendsMail: boolean;
}

/** The same environment, for a request: what it reads holds up nobody else. */
export function askedBy(caller: string, environment: SupportEnvironment): SupportEnvironment {
  const { store } = environment;
  return { ...environment, store: { ...store, db: store.dbFor(caller) } };
}

/** What support needs of the second flow. */
export interface Webhooks {
  /** Checks whether webhooks may be sent to this URL. Does not call it. */
  checkUrl(url: string): Promise<{ ok: true; url: string } | { ok: false; detail: string }>;
  /** `instead` replaces what the midoffice has; the key is the one after `lastKey`, as on a retry. */
  attemptNow(
    midofficeId: string,
    event: SentEvent,
    instead?: { url: string; bodyForm: BodyForm; lastKey: string | null },
  ): Promise<AttemptRecord>;
  /** Sends these webhooks of the midoffice to a URL, its own by default, marked as a rehearsal. Takes up to half a minute. */
  rehearse: Rehearse;
  /** Tests the midoffice's receiver with all kinds of webhooks. Takes up to half a minute. */
  certifyReceiver(midofficeId: string, form: CheckedForm): Promise<Report>;
  accept: AcceptEvents;
  readonly intake: Intake;
  /** The waits before each retry, in milliseconds. */
  readonly retrySchedule: readonly number[];
  /** How many attempts this process has in flight. */
  attemptsInFlight(): number;
  /** Whether one of them is for this delivery. */
  isInFlight(seq: number): boolean;
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
