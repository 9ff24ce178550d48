import type { Grant, GrantSet } from '../../grants.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findKey } from '../keys/key.ts';
import { patchKey } from '../keys/queries.ts';
import { keepGrantSet, readGrantSet } from './queries.ts';

export async function listGrants(
  { store }: SupportEnvironment,
  keyId: string,
): Promise<readonly Grant[]> {
  const key = await findKey(store.db, keyId);
  return (await readGrantSet(store.db, key.grant_set)).grants;
}

/** The key must be locked. */
export async function replaceGrants(
  { db, invalidate }: Change,
  keyId: string,
  grants: GrantSet,
): Promise<void> {
  await patchKey(db, keyId, { grant_set: await keepGrantSet(db, grants) });
  await invalidate([keyId]);
}
