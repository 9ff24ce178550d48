/**
 * Which master keys a backup contains, and which of those that its databases need it lacks. The key file alone
 * does not tell: after a change to BELLHOP_MASTER_KEY, it stays in the data folder but no longer opens anything.
 */
import { join } from 'node:path';
import { environmentNames } from '../../base/config/settings.ts';
import { masterKeyNamedIn } from '../../base/sealing/sealed-key.ts';
import { masterKeyId, Vault } from '../../base/sealing/vault.ts';
import { masterKeyIdOfProof } from '../../store/identity.ts';
import { knownIdentity } from '../../store/sqlite/known-identity.ts';
import { masterKeyFile, readMasterKeys } from '../master-key-file.ts';

export interface BackedUpKeys {
  /** Ids of the keys in the key file that open the databases. */
  contained: string[];
  /** Ids of the other keys that the databases need. */
  missing: string[];
}

/** Of a backup, or of any other folder with the layout of a data folder. */
export function masterKeysOf(folder: string): BackedUpKeys {
  const kept = readMasterKeys(masterKeyFile(folder));
  const contained = new Set<string>();
  const missing = new Set<string>();
  for (const name of environmentNames) {
    const vault = kept && new Vault(kept[0], name, kept.slice(1));
    for (const proof of knownIdentity(join(folder, name))?.proofs ?? []) {
      const opening = vault && masterKeyIdOfProof(vault, proof);
      if (opening) contained.add(opening);
      else missing.add(masterKeyNamedIn(proof));
    }
  }
  // Databases without any proof have sealed nothing yet, so every key opens them.
  if (contained.size + missing.size === 0)
    for (const key of kept ?? []) contained.add(masterKeyId(key));
  return { contained: [...contained], missing: [...missing] };
}
