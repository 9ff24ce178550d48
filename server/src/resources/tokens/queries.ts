import type { BackOfficeDatabase, TokenRow } from '../../store/back-office/schema.ts';
import { isPostgres } from '../../store/engine.ts';
import { readNewest, type Slice } from '../../store/slice.ts';

export async function hasToken(db: BackOfficeDatabase): Promise<boolean> {
  const row = await db.selectFrom('token').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Also finds a revoked token. */
export async function readToken(
  db: BackOfficeDatabase,
  digest: string,
): Promise<TokenRow | undefined> {
  return db.selectFrom('token').selectAll().where('digest', '=', digest).executeTakeFirst();
}

export async function newestTokens(db: BackOfficeDatabase, slice: Slice): Promise<TokenRow[]> {
  const query = db.selectFrom('token').selectAll().where('revoked_at', 'is', null);
  return readNewest(query, slice, { time: 'created_at', id: 'id' });
}

/**
 * All tokens that are not revoked. Locks them, so that two admins cannot revoke each other's token, or the same
 * one, at the same time.
 */
export async function lockTokens(db: BackOfficeDatabase): Promise<TokenRow[]> {
  return db
    .selectFrom('token')
    .selectAll()
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .$if(isPostgres(db), (query) => query.forUpdate())
    .execute();
}

export async function insertToken(db: BackOfficeDatabase, row: TokenRow): Promise<void> {
  await db.insertInto('token').values(row).execute();
}

/** Returns false if there is a token with this id or digest already. */
export async function insertTokenIfNew(db: BackOfficeDatabase, row: TokenRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('token')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== 0n;
}

/** Records a use now, unless one was recorded after `unlessUsedAfterMs`. */
export async function touchToken(
  db: BackOfficeDatabase,
  id: string,
  nowMs: number,
  unlessUsedAfterMs: number,
): Promise<void> {
  await db
    .updateTable('token')
    .set({ last_used_at: nowMs })
    .where('id', '=', id)
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', unlessUsedAfterMs)]),
    )
    .execute();
}

export async function revokeToken(
  db: BackOfficeDatabase,
  id: string,
  nowMs: number,
): Promise<void> {
  await db.updateTable('token').set({ revoked_at: nowMs }).where('id', '=', id).execute();
}

/** Gives a revoked token another id. A token that is not revoked keeps its id. */
export async function renameRevokedToken(
  db: BackOfficeDatabase,
  id: string,
  newId: string,
): Promise<void> {
  await db
    .updateTable('token')
    .set({ id: newId })
    .where('id', '=', id)
    .where('revoked_at', 'is not', null)
    .execute();
}

/** Returns the digest that the token had; undefined if it has this one already. */
export async function replaceDigest(
  db: BackOfficeDatabase,
  id: string,
  digest: string,
): Promise<string | undefined> {
  // Locks the row, so that no session is opened with the digest that is read here.
  const before = await db
    .updateTable('token')
    .set({ id })
    .where('id', '=', id)
    .where('digest', '<>', digest)
    .returning('digest')
    .executeTakeFirst();
  if (!before) return undefined;
  await db.updateTable('token').set({ digest }).where('id', '=', id).execute();
  return before.digest;
}
