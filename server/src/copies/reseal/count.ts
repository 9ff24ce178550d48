/** How many sealed values need which master key: the proof that an old one is no longer needed. */

import type { Database } from '../../store/schema.ts';
import type { Vault } from '../../vault.ts';
import { sealedIn } from './row.ts';
import { sealedRowsAfter } from './sealed-rows.ts';

const KEYS_PER_READ = 2_000;
/** Values that none of the given master keys opens. */
export const UNKNOWN = 'unknown';

/** Opens every value, so that a label alone proves nothing. The ids of master keys with their values. */
export async function countByMasterKey(db: Database, vault: Vault): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let after = '';
  for (;;) {
    const rows = await sealedRowsAfter(db, after, KEYS_PER_READ);
    for (const row of rows) {
      for (const { sealed } of sealedIn(row)) {
        const id = vault.masterKeyIdOf(row.key_id, sealed) ?? UNKNOWN;
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
    if (rows.length < KEYS_PER_READ) return counts;
    after = rows.at(-1)?.key_id ?? after;
  }
}
