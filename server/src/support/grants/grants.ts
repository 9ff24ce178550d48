import type { Grant, GrantSet } from '../../grants.ts';
import { keepGrantSet, readGrantSet } from '../../store/records/grants.ts';
import { patchKeyUnlessChanged } from '../../store/records/keys.ts';
import type { ApiKeyRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findKey } from '../keys/keys.ts';
import { Problem } from '../problem.ts';

export async function listGrants(
  { store }: SupportEnvironment,
  keyId: string,
): Promise<readonly Grant[]> {
  const key = await findKey(store.db, keyId);
  return (await readGrantSet(store.db, key.grant_set)).grants;
}

/**
 * Replaces the set that was read. If someone else has replaced it since, nothing changes. Until the end of
 * the transaction, other changes to the key's grants wait.
 */
export async function replaceGrants(
  { db, keysChanged }: Change,
  key: ApiKeyRow,
  grants: GrantSet,
): Promise<void> {
  const columns = { grant_set: await keepGrantSet(db, grants) };
  const isReplaced = await patchKeyUnlessChanged(db, key, 'grant_set', columns);
  if (!isReplaced) throw new Problem('changed_meanwhile');
  await keysChanged([key.key_id]);
}
