/**
 * Which master keys the running processes have. A value sealed with a key that one of them lacks would lock a
 * partner out there, so a new key is refused until all of them have it.
 */
import { PreconditionFailed } from '../base/config/config.ts';

/** Of one running process. */
export interface MasterKeysInUse {
  /** Seals everything new there. */
  current: string;
  /** All that it opens, including the current one. */
  known: readonly string[];
}

export function refuseUnlessAllKnow(inUse: readonly MasterKeysInUse[], keyId: string): void {
  if (inUse.every(({ known }) => known.includes(keyId))) return;
  throw new PreconditionFailed(
    `A running Bellhop does not have the master key ${keyId} yet. If the key is in the file master.key, restart Bellhop, which reads it, and try again. Otherwise first add it to BELLHOP_PREVIOUS_MASTER_KEYS of every node and restart them one by one (docs/operating/rotating-the-master-key.md).`,
    'busy',
  );
}

export function refuseUnlessAllSealWith(inUse: readonly MasterKeysInUse[], keyId: string): void {
  refuseUnlessAllKnow(inUse, keyId);
  const other = inUse.find(({ current }) => current !== keyId);
  if (!other) return;
  throw new PreconditionFailed(
    `A running Bellhop still seals new keys with the master key ${other.current}; make ${keyId} the BELLHOP_MASTER_KEY of every node, restart them, and run this command again.`,
  );
}
