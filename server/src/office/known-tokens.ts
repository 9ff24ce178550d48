/**
 * Tokens that have just been read. Order systems post hundreds of events a second with one token, and reading it for each
 * took a quarter of what an event costs. A change of this process drops what is known at once. Whatever else may change a
 * token (another node, a command, a failover), nothing is believed for longer than `BELIEVED_MS`.
 */
import type { Clock } from '../base/clock.ts';
import { digestOfToken } from '../base/random-token.ts';
import { findToken, isExpired } from '../resources/tokens/tokens.ts';
import type { TokenRow } from '../store/back-office/schema.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { sharingReads } from './sharing-reads.ts';

/** So that a token that another node has deleted is refused here within a second. */
export const BELIEVED_MS = 500;
const MOST_KNOWN = 1_000;

interface Known {
  row: TokenRow;
  /** When reading it began, on the monotonic clock. */
  askedMs: number;
}

export interface KnownTokens {
  /** Undefined if there is none, or if it was deleted or has expired. */
  find(token: string): Promise<TokenRow | undefined>;
  /** At once; undefined if it is not known. */
  recall(token: string): TokenRow | undefined;
  /** Tokens may be changed through this one only. */
  store: BackOfficeStore;
}

export function createKnownTokens(store: BackOfficeStore, clock: Clock): KnownTokens {
  const known = new Map<string, Known>();
  let changes = 0;

  const read = sharingReads(async (token: string) => {
    const askedMs = clock.monotonic();
    const changesBefore = changes;
    const row = await findToken(store, token, clock.now());
    // What was read before a change and remembered after it would be believed although it has changed here.
    if (row && changes === changesBefore) {
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(digestOfToken(token), { row, askedMs });
    }
    return row;
  });

  function recall(token: string): TokenRow | undefined {
    const found = known.get(digestOfToken(token));
    if (!found || clock.monotonic() - found.askedMs >= BELIEVED_MS) return undefined;
    return isExpired(found.row, clock.now()) ? undefined : found.row;
  }

  return {
    recall,
    find: async (token) => recall(token) ?? read(token),
    store: {
      ...store,
      async change(actor, work) {
        try {
          return await store.change(actor, work);
        } finally {
          // Also after an error: the commit may have arrived without its answer.
          changes++;
          known.clear();
        }
      },
    },
  };
}
