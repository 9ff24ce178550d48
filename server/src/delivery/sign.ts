/** Due → Signed: a fresh token and timestamp for every attempt, under the midoffice's key. */
import { createTokenMaker, type OrderEvent } from '@bellhop/partner';
import { signWebhookWith } from '@bellhop/partner/node';
import type { Clock } from '../base/clock.ts';
import type { Vault } from '../base/sealing/vault.ts';
import { USER_AGENT } from '../base/version.ts';
import { openIdentity } from '../receiver/client-certificate.ts';
import { createHmacs } from './hmac.ts';
import type {
  Due,
  LaneConfig,
  SealedKey,
  SentEvent,
  Signed,
  SignedRequest,
  SigningKey,
} from './stages.ts';
import { openHeaders } from './webhook-headers.ts';

/** Bounded caches of opened keys, headers and certificates, so that most attempts decrypt nothing. */
const OPENED_KEYS = 10_000;
const OPENED_HEADERS = 1_000;
const OPENED_IDENTITIES = 1_000;

export type Signer = (due: Due, lane: LaneConfig) => Signed;

export function createSigner(vault: Vault, clock: Clock): Signer {
  const newToken = createTokenMaker();
  const hmacOf = createHmacs();
  const open = cached(OPENED_KEYS, (keyId, sealed) => hmacOf(vault.open(keyId, sealed)));
  const openAll = cached(OPENED_HEADERS, (id, stored) => openHeaders(vault, id, stored));
  const openPair = cached(OPENED_IDENTITIES, (id, stored) => openIdentity(vault, id, stored));

  return (due, lane) => {
    const nowMs = clock.now();
    const keys = keysInForce(lane.signingKey, nowMs);
    const signing = bodyKeyOf(keys, due, lane);
    const request = requestOf(lane, signing, { nowMs, token: newToken() });
    const webhook = {
      webhookId: headerSafe(due.event_id),
      event: eventOf(due),
      form: lane.body_form,
      timestamp: request.signature_timestamp,
      token: request.signature_token,
    };
    const { headers: own, body } = signWebhookWith(
      webhook,
      open(request.key_id, signing.sealed),
      keys.map((key) => open(request.key_id, key.sealed)),
    );
    const { midoffice_id, headers: more, client_certificate: pair } = lane;
    const headers = more === null ? own : { ...openAll(midoffice_id, more), ...own };
    const identity = pair === null ? undefined : openPair(midoffice_id, pair);
    return { due, headers, body, identity, request };
  };
}

/** Remembers what it has opened, by its sealed form. */
function cached<T>(most: number, open: (id: string, sealed: string) => T) {
  const known = new Map<string, T>();
  return (id: string, sealed: string): T => {
    let opened = known.get(sealed);
    if (opened === undefined) {
      opened = open(id, sealed);
      if (known.size >= most) known.clear();
      known.set(sealed, opened);
    }
    return opened;
  };
}

/**
 * The body has room for one signature. The first attempt uses the key that the receiver last accepted;
 * if that is not known, or no longer in force, the oldest. On retries the keys take turns, from older to
 * newer, because a receiver that stops accepting a key has probably moved to a newer one. So with n keys
 * in force, a receiver that holds any one is served by the n-th attempt at the latest.
 */
function bodyKeyOf(keys: readonly SealedKey[], due: Due, lane: LaneConfig): SealedKey {
  const at = (wanted: string | null) => keys.findIndex(({ fingerprint }) => fingerprint === wanted);
  const last = at(due.last_key);
  // Index -1 is the oldest: for a key that is not among them, and after the newest.
  return keys.at(last < 0 ? at(lane.worked_key) : last - 1) as SealedKey;
}

/** What is recorded of a request; of one that could not be signed, without a token. */
export function requestOf(
  { url, body_form, signingKey }: LaneConfig,
  { fingerprint }: SealedKey,
  { nowMs, token }: { nowMs: number; token: string },
): SignedRequest {
  return {
    signature_timestamp: Math.floor(nowMs / 1_000),
    signature_token: token,
    url,
    body_form,
    user_agent: USER_AGENT,
    key_id: signingKey.key_id,
    key_fingerprint: fingerprint,
  };
}

/** As the partner package spells it. */
export function eventOf(sent: SentEvent): OrderEvent {
  return {
    type: sent.type,
    partnerOrderId: sent.partner_order_id,
    ...(sent.agreement_number !== null && { agreementNumber: sent.agreement_number }),
    ...(sent.status !== null && { status: sent.status }),
  };
}

/**
 * The sender chooses the event id, and it may contain characters that a header cannot. The percent sign
 * is encoded too, because otherwise `a b` and `a%20b` would share one id.
 */
export function headerSafe(eventId: string): string {
  return eventId.replace(/[^\x21-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** The newest first; more than one while rotations overlap. */
export function keysInForce({ current, previous }: SigningKey, nowMs: number): SealedKey[] {
  return [current, ...previous.filter(({ untilMs }) => untilMs > nowMs)];
}
