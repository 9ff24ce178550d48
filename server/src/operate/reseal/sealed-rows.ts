/** Every sealed API key, for `bellhop reseal`: how they are read, sealed again and replaced. */
import { sql } from 'kysely';
import { readPages } from '../../base/pages.ts';
import {
  type PreviousKey,
  previousKeysOf,
  toPreviousKeyColumns,
} from '../../base/sealing/previous-keys.ts';
import { fingerprintOf, masterKeyNamedIn } from '../../base/sealing/sealed-key.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import type { ApiKeyRow, Database } from '../../store/schema.ts';

const COLUMNS = [
  'key_id',
  'sealed_key',
  'digest',
  'previous_sealed_key',
  'previous_digest',
  'previous_until',
  'earlier_keys',
] as const;

type SealedRow = Pick<ApiKeyRow, (typeof COLUMNS)[number]>;

export const sealedKeys: SealedTable = {
  async count(db) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from api_key`.execute(db);
    return Number(rows[0]?.n ?? 0);
  },
  read(db, atOnce) {
    return readPages<SealedEntry>(atOnce, async (last, limit) => {
      const rows = await db
        .selectFrom('api_key')
        .select(COLUMNS)
        .where('key_id', '>', last?.id ?? '')
        .orderBy('key_id')
        .limit(limit)
        .execute();
      return rows.map(entryOf);
    });
  },
};

function entryOf(row: SealedRow): SealedEntry {
  return {
    id: row.key_id,
    name: `The API key of key ${row.key_id}`,
    values: sealedIn(row).map(({ sealed }) => ({ under: row.key_id, sealed })),
    resealed(vault) {
      const sealed = resealRow(vault, row);
      return sealed && ((db) => replaceSealed(db, row, sealed));
    },
  };
}

/** Returns false if the key was rotated since it was read. */
async function replaceSealed(
  db: Database,
  before: SealedRow,
  { key_id, ...columns }: SealedRow,
): Promise<boolean> {
  let query = db.updateTable('api_key').set(columns).where('key_id', '=', key_id);
  for (const name of ['sealed_key', 'previous_sealed_key', 'earlier_keys'] as const) {
    const value = before[name];
    query = value === null ? query.where(name, 'is', null) : query.where(name, '=', value);
  }
  const { numUpdatedRows } = await query.executeTakeFirst();
  return numUpdatedRows === 1n;
}

type Sealed = Pick<PreviousKey, 'sealed' | 'digest'>;

/** Every sealed value of the key, the current API key first. */
export function sealedIn(row: SealedRow): Sealed[] {
  return [{ sealed: row.sealed_key, digest: row.digest }, ...previousKeysOf(row)];
}

/** One key under the current master key: its API key and those of rotations that still overlap. Undefined if everything is under the current master key. Throws if a value does not open. */
function resealRow(vault: Vault, row: SealedRow): SealedRow | undefined {
  if (sealedIn(row).every(({ sealed }) => isCurrent(vault, sealed))) return undefined;
  const current = reseal(vault, row.key_id, { sealed: row.sealed_key, digest: row.digest });
  return {
    key_id: row.key_id,
    sealed_key: current.sealed,
    digest: current.digest,
    ...toPreviousKeyColumns(
      previousKeysOf(row).map((key) => ({ ...key, ...reseal(vault, row.key_id, key) })),
    ),
  };
}

function reseal(vault: Vault, keyId: string, { sealed, digest }: Sealed): Sealed {
  if (isCurrent(vault, sealed)) return { sealed, digest };
  const apiKey = vault.open(keyId, sealed);
  return {
    sealed: vault.seal(keyId, apiKey, fingerprintOf(sealed, digest)),
    digest: vault.digest(keyId, apiKey),
  };
}

export function isCurrent(vault: Vault, sealed: string): boolean {
  return masterKeyNamedIn(sealed) === vault.currentKeyId;
}

/** A table with sealed values, as `bellhop reseal` goes through it. */
export interface SealedTable {
  /** Its rows with sealed values. */
  count(db: Database): Promise<number>;
  /** The same rows, in the order of their ids. */
  read(db: Database, atOnce: number): AsyncGenerator<readonly SealedEntry[]>;
}

export interface SealedEntry {
  id: string;
  /** For messages: "The API key of key 17". */
  name: string;
  values: { under: string; sealed: string }[];
  /**
   * Undefined if everything is under the current master key. Otherwise, how to write it: false if the row was changed
   * since it was read. Throws if a value does not open.
   */
  resealed(vault: Vault): ((db: Database) => Promise<boolean>) | undefined;
}
