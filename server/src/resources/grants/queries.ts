/** Grant sets, which keys share, and the grants that were withdrawn from a key. */
import { type Grant, GrantSet } from '../../base/grants.ts';
import type { Database } from '../../store/schema.ts';

/** Stores the set unless it is stored already, and returns its id. */
export async function keepGrantSet(db: Database, grants: GrantSet): Promise<string> {
  await db
    .insertInto('grant_set')
    .values({ id: grants.id, grants: grants.json })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return grants.id;
}

/** The set must exist: keys refer to it, and sets are never deleted. */
export async function readGrantSet(db: Database, id: string): Promise<GrantSet> {
  const row = await db
    .selectFrom('grant_set')
    .select('grants')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return GrantSet.parse(row.grants);
}

/** The key's last grant for an endpoint that was withdrawn; undefined if it never was. */
export async function readWithdrawnGrant(
  db: Database,
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

export async function keepWithdrawnGrant(db: Database, keyId: string, grant: Grant): Promise<void> {
  const last = JSON.stringify(grant);
  await db
    .insertInto('withdrawn_grant')
    .values({ key_id: keyId, endpoint: grant.endpoint, last })
    .onConflict((conflict) => conflict.columns(['key_id', 'endpoint']).doUpdateSet({ last }))
    .execute();
}
