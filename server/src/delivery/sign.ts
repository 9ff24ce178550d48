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
 * The body has room for one signature. The key that the receiver last took comes first; at the
 * beginning of an overlap that is the earlier one, and it is also where nothing is known. On retries
 * the keys take turns, so a receiver that holds either is served by the second attempt at the latest.
 */
function bodyKeyOf(keys: readonly SealedKey[], due: Due, lane: LaneConfig): SealedKey {
  const other = keys.find(({ fingerprint }) => fingerprint !== due.lastKey);
  if (due.lastKey !== null && other) return other;
  return (
    keys.find(({ fingerprint }) => fingerprint === lane.workedKey) ?? (keys.at(-1) as SealedKey)
  );
}

/**
 * An event id is the sender's own and may hold what no header can. The percent sign is encoded too,
 * or `a b` and `a%20b` would share one id.
 */
export function headerSafe(eventId: string): string {
  return eventId.replace(/[^\x21-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** The newest first; two while a rotation overlaps. */
export function keysInForce({ current, previous }: SigningKey, nowMs: number): SealedKey[] {
  return previous && previous.untilMs > nowMs ? [current, previous] : [current];
}
