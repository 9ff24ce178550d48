import type { Kysely } from 'kysely';
import { GrantSet } from '../../grants.ts';
import type { Schema } from '../schema.ts';

/** Stores a set if it is a new one; returns its id. */
export async function keepGrantSet(db: Kysely<Schema>, grants: GrantSet): Promise<string> {
  await db
    .insertInto('grant_set')
    .values({ id: grants.id, grants: grants.json })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return grants.id;
}

export async function readGrantSet(db: Kysely<Schema>, id: string): Promise<GrantSet> {
  const row = await db
    .selectFrom('grant_set')
    .select('grants')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return GrantSet.parse(row.grants);
}
