/** What an environment still needs of which master key: the proof that an old one is no longer needed. */
import { UNKNOWN_MASTER_KEY } from '../../base/sealing/sealed-key.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import type { DirectDatabase } from '../../store/direct/database.ts';
import { neededKeys } from '../../store/identity.ts';
import type { Database } from '../../store/schema.ts';
import { sealedHeaders, sealedPrivateKeys } from './sealed-midoffices.ts';
import type { SealedTable } from './sealed-rows.ts';
import { sealedKeys } from './sealed-rows.ts';

const ROWS_PER_READ = 2_000;

/** Everything of an environment that a master key seals. */
export const allSealed: readonly SealedTable[] = [sealedKeys, sealedHeaders, sealedPrivateKeys];

export interface KeyNeed {
  master_key: string;
  is_current: boolean;
  /** Sealed API keys, including those of rotations that still overlap, header values and private keys. */
  values: number;
  /** Running processes that seal with it. */
  sealing_processes: number;
  /** A process without it cannot start. */
  is_needed: boolean;
}

export async function checkNeeds(database: DirectDatabase, vault: Vault): Promise<KeyNeed[]> {
  const { db } = database;
  const inUse = await database.masterKeysInUse();
  const counts = await countByMasterKey(db, vault);
  const proven = new Set(await neededKeys(db, vault));
  const sealing = inUse.map(({ current }) => current);
  const ids = new Set([...vault.masterKeyIds, ...counts.keys(), ...proven, ...sealing]);
  return [...ids].map((id) => {
    const values = counts.get(id) ?? 0;
    const processes = sealing.filter((current) => current === id).length;
    return {
      master_key: id,
      is_current: id === vault.currentKeyId,
      values,
      sealing_processes: processes,
      is_needed: values > 0 || processes > 0 || proven.has(id),
    };
  });
}

/** Opens every value, so that a label alone proves nothing. The ids of master keys with their values. */
export async function countByMasterKey(db: Database, vault: Vault): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of allSealed) {
    for await (const entries of table.read(db, ROWS_PER_READ)) {
      for (const { under, sealed } of entries.flatMap(({ values }) => values)) {
        const id = vault.masterKeyIdOf(under, sealed) ?? UNKNOWN_MASTER_KEY;
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
  }
  return counts;
}
