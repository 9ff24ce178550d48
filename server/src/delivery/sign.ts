/** Claimed → Signed: a fresh token and timestamp for every attempt, under the midoffice's key. */
import { createTokenMaker } from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';
import type { Clock } from '../clock.ts';
import type { Vault } from '../vault.ts';
import type { Claimed, LaneConfig, Signed } from './stages.ts';

/** What was opened is kept, so that an attempt decrypts nothing; bounded. */
const OPENED_KEYS = 10_000;

export type Signer = (claimed: Claimed, lane: LaneConfig) => Signed;

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

  return (claimed, lane) => {
    const nowMs = clock.now();
    const { signingKey } = lane;
    const keys = sealedKeysOf(signingKey, nowMs).map((sealed) => open(signingKey.keyId, sealed));
    const timestamp = Math.floor(nowMs / 1_000);
    const token = newToken();
    const { headers, body } = signWebhook({
      webhookId: headerSafe(claimed.eventId),
      event: claimed.event,
      form: lane.bodyForm,
      timestamp,
      token,
      // The body has room for one signature, so the keys take turns: a receiver that holds either
      // is served by the second attempt at the latest.
      bodyKey: keys[(claimed.attemptNumber - 1) % keys.length] as string,
      headerKeys: keys,
    });
    return { claimed, url: lane.url, headers, body, timestamp, token };
  };
}

/**
 * An event id is the sender's own and may hold what no header can. The percent sign is encoded too,
 * or `a b` and `a%20b` would share one id.
 */
export function headerSafe(eventId: string): string {
  return eventId.replace(/[^\x21-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** The newest first; two while a rotation overlaps. */
export function sealedKeysOf(
  { sealedKey, previousSealedKey, previousUntilMs }: LaneConfig['signingKey'],
  nowMs: number,
): string[] {
  const overlaps = previousUntilMs !== null && previousUntilMs > nowMs;
  return overlaps && previousSealedKey !== null ? [sealedKey, previousSealedKey] : [sealedKey];
}
