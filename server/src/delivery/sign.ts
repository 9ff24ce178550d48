/** Due → Signed: a fresh token and timestamp for every attempt, under the midoffice's key. */
import { createTokenMaker } from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';
import type { Clock } from '../clock.ts';
import type { Vault } from '../vault.ts';
import type { Due, LaneConfig, SealedKey, Signed, SigningKey } from './stages.ts';

/** A bounded cache of opened keys, so that most attempts decrypt nothing. */
const OPENED_KEYS = 10_000;

export type Signer = (due: Due, lane: LaneConfig) => Signed;

export function createSigner(vault: Vault, clock: Clock): Signer {
  const newToken = createTokenMaker();
  const opened = new Map<string, string>();

  function open(keyId: string, sealedKey: string): string {
    let apiKey = opened.get(sealedKey);
    if (apiKey === undefined) {
      apiKey = vault.open(keyId, sealedKey);
      if (opened.size >= OPENED_KEYS) opened.clear();
      opened.set(sealedKey, apiKey);
    }
    return apiKey;
  }

  return (due, lane) => {
    const nowMs = clock.now();
    const { keyId } = lane.signingKey;
    const keys = keysInForce(lane.signingKey, nowMs);
    const signing = bodyKeyOf(keys, due, lane);
    const timestamp = Math.floor(nowMs / 1_000);
    const token = newToken();
    const { headers, body } = signWebhook({
      webhookId: headerSafe(due.eventId),
      event: due.event,
      form: lane.bodyForm,
      timestamp,
      token,
      bodyKey: open(keyId, signing.sealed),
      headerKeys: keys.map((key) => open(keyId, key.sealed)),
    });
    const { url, bodyForm } = lane;
    const keyFingerprint = signing.fingerprint;
    return { due, url, bodyForm, headers, body, timestamp, token, keyId, keyFingerprint };
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
  const last = at(due.lastKey);
  // Index -1 is the oldest: for a key that is not among them, and after the newest.
  return keys.at(last < 0 ? at(lane.workedKey) : last - 1) as SealedKey;
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
