import type { Grant, GrantSet } from '../../grants.ts';
import { keepGrantSet, readGrantSet } from '../../store/records/grants.ts';
import { patchKey } from '../../store/records/keys.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findKey } from '../keys/keys.ts';

export async function listGrants(
  { store }: SupportEnvironment,
  keyId: string,
): Promise<readonly Grant[]> {
  const key = await findKey(store.db, keyId);
  return (await readGrantSet(store.db, key.grant_set)).grants;
}

/** The key must be locked. */
export async function replaceGrants(
  { db, keysChanged }: Change,
  keyId: string,
  grants: GrantSet,
): Promise<void> {
  await patchKey(db, keyId, { grant_set: await keepGrantSet(db, grants) });
  await keysChanged([keyId]);
}
