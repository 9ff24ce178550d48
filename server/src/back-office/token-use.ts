/**
 * Records when a token was last used: at most once a minute for each token, and after the request has gone on. A
 * use that cannot be stored is left out, because no request may fail or wait for it.
 */
import type { Clock } from '../clock.ts';
import { touchToken } from '../resources/tokens/queries.ts';
import type { TokenRow } from '../store/back-office/schema.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';

export const TOUCH_TOKEN_MS = 60_000;

export type TokenUse = (token: TokenRow) => void;

export function createTokenUse({ db }: BackOfficeStore, clock: Clock): TokenUse {
  /** Requests that arrive together have all read the row before the first one is recorded. */
  const recordedAtMs = new Map<string, number>();
  return ({ id, last_used_at }) => {
    const nowMs = clock.now();
    const recentMs = nowMs - TOUCH_TOKEN_MS;
    const lastMs = Math.max(last_used_at ?? 0, recordedAtMs.get(id) ?? 0);
    if (lastMs > recentMs) return;
    recordedAtMs.set(id, nowMs);
    // Not before the current work is done: on SQLite the write runs on this thread.
    setImmediate(() => {
      // The store itself reports what the disk or the database refuses.
      touchToken(db, id, nowMs, recentMs).catch(() => {});
    });
  };
}
