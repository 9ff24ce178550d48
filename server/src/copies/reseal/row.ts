/** One key under the current master key: its API key and those of rotations that still overlap. */
import { type PreviousKey, previousKeysOf, toPreviousKeyColumns } from '../../previous-keys.ts';
import { fingerprintOf, readSealed } from '../../sealed-key.ts';
import type { Vault } from '../../vault.ts';
import type { SealedRow } from './sealed-rows.ts';

type Sealed = Pick<PreviousKey, 'sealed' | 'digest'>;

/** Every sealed value of the key, the current API key first. */
export function sealedIn(row: SealedRow): Sealed[] {
  return [{ sealed: row.sealed_key, digest: row.digest }, ...previousKeysOf(row)];
}

/** Undefined if everything is under the current master key. Throws if a value does not open. */
export function resealRow(vault: Vault, row: SealedRow): SealedRow | undefined {
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

function isCurrent(vault: Vault, sealed: string): boolean {
  return readSealed(sealed).masterKeyId === vault.currentKeyId;
}
