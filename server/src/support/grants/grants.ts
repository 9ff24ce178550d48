/** Reading a key's grants, giving it a changed set of them, and keeping those that it last had. */

import type { Kysely } from 'kysely';
import type { Grant, GrantSet } from '../../grants.ts';
import { keepGrantSet, readGrantSet } from '../../store/records/grant-sets.ts';
import type { ApiKeyRow, Schema } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { Desk } from '../environment.ts';
import { findKey } from '../keys/keys.ts';
import { Problem } from '../problem.ts';

export async function listGrants(desk: Desk, keyId: string): Promise<readonly Grant[]> {
  const key = await findKey(desk.store.db, keyId);
  return (await readGrantSet(desk.store.db, key.grant_set)).grants;
}

/** Replaces the set that was read. If someone else has replaced it meanwhile, nothing changes. */
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

/** Undefined if the endpoint was never withdrawn from this key. */
export async function readWithdrawnGrant(
  db: Kysely<Schema>,
  keyId: string,
  endpoint: string,
): Promise<Grant | undefined> {
  const row = await db
    .selectFrom('withdrawn_grant')
    .select('last')
    .where('key_id', '=', keyId)
    .where('endpoint', '=', endpoint)
    .executeTakeFirst();
  return row && (JSON.parse(row.last) as Grant);
}

export async function keepWithdrawnGrant(
  db: Kysely<Schema>,
  keyId: string,
  grant: Grant,
): Promise<void> {
  const last = JSON.stringify(grant);
  await db
    .insertInto('withdrawn_grant')
    .values({ key_id: keyId, endpoint: grant.endpoint, last })
    .onConflict((conflict) => conflict.columns(['key_id', 'endpoint']).doUpdateSet({ last }))
    .execute();
}
