/**
 * Whether the provider still gives someone who is signed in their role. The check happens when the browser makes a
 * request, because only its cookie opens the refresh token; a session that nobody uses costs nothing.
 *
 *     confirmed ── a quarter of the time ──→ due ── all of the time ──→ overdue
 *
 * While it is due, requests are served and one of them starts a check beside it. Once it is overdue, requests wait for
 * a check and are refused without its consent. So a provider that is away for three quarters of the time is not
 * noticed, and a role that was taken away is never served for longer than the whole time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { personInAudit, recordPerson } from '../resources/people/people.ts';
import { Problem } from '../resources/problem.ts';
import {
  type Confirmation,
  changeConfirmation,
  type PersonSession,
  readConfirmation,
} from '../store/back-office/sessions.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import type { Provider, ProviderTokens } from './oidc/provider.ts';
import { SignInRefused } from './oidc/refusal.ts';
import { openTokens, sealTokens } from './sealed-tokens.ts';

/** The first check is due after this share of the time. Keycloak's refresh tokens last 30 minutes without use. */
const DUE_SHARE = 1 / 4;
/** Nobody else asks in this time: longer than the four calls of a check, each with its time-out. */
export const CLAIM_MS = 45_000;
/** After a check that the provider did not answer, this process asks nothing for so long. */
export const AWAY_PAUSE_MS = 30_000;
const LOOK_AGAIN_MS = 100;

export interface RoleChecks {
  readonly issuer: string;
  /** For a session that is opened now. */
  begin(sessionId: string, tokens: ProviderTokens): Confirmation;
  /** Whether the session goes on. Throws a Problem if that cannot be found out. */
  allow(session: CheckedSession): Promise<boolean>;
}

export interface CheckedSession extends PersonSession {
  id: string;
  digest: string;
  /** A page that nobody touches must not keep a session alive at the provider. */
  isBackground: boolean;
}

type Outcome = 'confirmed' | 'ended' | 'unknown';

export function createRoleChecks(parts: {
  store: BackOfficeStore;
  provider: Pick<Provider, 'issuer' | 'identifyAgain'>;
  /** 0 if the role at the sign-in counts as long as the session lasts. */
  recheckMs: number;
  clock: Clock;
  log: Log;
}): RoleChecks {
  const { store, provider, recheckMs, clock, log } = parts;
  /** By digest: requests of one page share a check. */
  const running = new Map<string, Promise<Outcome>>();
  let awayUntilMs = Number.NEGATIVE_INFINITY;

  const confirmedNow = (sessionId: string, tokens: ProviderTokens): Confirmation => ({
    confirmed_at: clock.now(),
    confirm_after: clock.now() + Math.ceil(recheckMs * DUE_SHARE),
    sealed_tokens: sealTokens(sessionId, tokens),
  });

  /** A time that is further away comes from a longer setting, before a restart. */
  function isClaimed({ confirm_after }: Confirmation): boolean {
    const leftMs = confirm_after - clock.now();
    return leftMs > 0 && leftMs <= CLAIM_MS;
  }

  function check(session: CheckedSession, refreshToken: string): Promise<Outcome> {
    const { digest } = session;
    const shared = running.get(digest);
    if (shared) return shared;
    const started = claimAndAsk(session, refreshToken).finally(() => running.delete(digest));
    running.set(digest, started);
    return started;
  }

  async function claimAndAsk(session: CheckedSession, refreshToken: string): Promise<Outcome> {
    const { digest, confirmation } = session;
    if (clock.monotonic() < awayUntilMs) return 'unknown';
    if (isClaimed(confirmation)) return afterOtherNode(digest, confirmation);
    // Of two uses of one refresh token, many providers take the second for a theft.
    const claim = { confirm_after: clock.now() + CLAIM_MS };
    const isOurs = await changeConfirmation(store.db, digest, confirmation, claim);
    return isOurs ? ask(session, refreshToken, claim) : afterOtherNode(digest, confirmation);
  }

  async function ask(
    { id, digest, person }: CheckedSession,
    refreshToken: string,
    claim: Pick<Confirmation, 'confirm_after'>,
  ): Promise<Outcome> {
    const actor = personInAudit(person);
    try {
      const { identity, tokens, whyNoRole } = await provider.identifyAgain(
        refreshToken,
        person.subject,
      );
      // Another role, or none, ends all sessions of the person, this one included.
      await recordPerson(store, identity, person.signed_in_at);
      if (whyNoRole) throw whyNoRole;
      if (identity.role !== person.role) {
        log.info({ actor }, 'session ended: the provider gives another role');
        return 'ended';
      }
      await changeConfirmation(store.db, digest, claim, confirmedNow(id, tokens));
      return 'confirmed';
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      const { code, message: reason } = error;
      if (ENDING.includes(code)) {
        log.warn(
          { actor, error: code, reason },
          'session ended: the provider no longer confirms it',
        );
        await store.endSession(digest);
        return 'ended';
      }
      awayUntilMs = clock.monotonic() + AWAY_PAUSE_MS;
      log.warn(
        { actor, error: code, reason },
        'role not confirmed: the provider could not be asked',
      );
      await changeConfirmation(store.db, digest, claim, { confirm_after: clock.now() });
      return 'unknown';
    }
  }

  /** Waits until the other node has the answer, or has given up. */
  async function afterOtherNode(digest: string, seen: Confirmation): Promise<Outcome> {
    const endMs = clock.monotonic() + CLAIM_MS;
    while (clock.monotonic() < endMs) {
      const now = await readConfirmation(store.db, digest);
      if (!now) return 'ended';
      if (now.confirmed_at !== seen.confirmed_at) return 'confirmed';
      if (now.confirm_after <= clock.now()) return 'unknown';
      await pause(LOOK_AGAIN_MS, undefined, { ref: false });
    }
    return 'unknown';
  }

  return {
    issuer: provider.issuer,
    begin: confirmedNow,
    async allow(session) {
      const { confirmed_at, confirm_after, sealed_tokens } = session.confirmation;
      const nowMs = clock.now();
      const isOverdue = recheckMs > 0 && nowMs - confirmed_at >= recheckMs;
      const isDue = recheckMs > 0 && nowMs >= confirm_after && !session.isBackground;
      if (!isOverdue && !isDue) return true;
      const { refreshToken } = openTokens(session.id, sealed_tokens ?? '') ?? {};
      if (!isOverdue) {
        if (refreshToken !== undefined) check(session, refreshToken).catch(() => {});
        return true;
      }
      if (refreshToken === undefined) throw new Problem('reauthentication_required');
      const outcome = await check(session, refreshToken);
      if (outcome === 'unknown') {
        throw new Problem(
          'unauthenticated',
          'The sign-in provider does not answer, so your role cannot be confirmed. Try again in a moment, or sign in with a token.',
        );
      }
      return outcome === 'confirmed';
    },
  };
}

/** The provider has answered, and no later answer would be another. */
const ENDING: readonly string[] = ['expired', 'no_role', 'no_claim'];
