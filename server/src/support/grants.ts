/** Reading a key's grants, and giving it a changed set of them. */
import type { Grant, GrantSet } from '../grants.ts';
import type { ApiKeyRow } from '../store/schema.ts';
import type { Change } from '../store/store.ts';
import type { Desk } from './desk.ts';
import { keepGrantSet, readGrantSet } from './grant-sets.ts';
import { findKey } from './keys.ts';
import { Problem } from './problem.ts';

export async function listGrants(desk: Desk, keyId: string): Promise<readonly Grant[]> {
  const key = await findKey(desk.store.db, keyId);
  return (await readGrantSet(desk.store.db, key.grant_set)).grants;
}

/** Replaces the set that was read; if another was put in its place meanwhile, nothing is changed. */
export async function replaceGrants(
  { db, keysChanged }: Change,
  key: ApiKeyRow,
  grants: GrantSet,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set({ grant_set: await keepGrantSet(db, grants) })
    .where('key_id', '=', key.key_id)
    .where('grant_set', '=', key.grant_set)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Problem('changed_meanwhile');
  await keysChanged([key.key_id]);
}
