import type { BackOfficeDatabase, PersonRow, SessionRow, TokenRow } from './schema.ts';

/** A session that was last used or opened at or before these times has ended. */
export interface SessionEnds {
  usedAtMs: number;
  createdAtMs: number;
}

export async function insertSession(db: BackOfficeDatabase, row: SessionRow): Promise<void> {
  await db.insertInto('session').values(row).execute();
}

/** The token that opened the session, unless the session has ended or the token is revoked or has expired. */
export async function readTokenSession(
  db: BackOfficeDatabase,
  digest: string,
  ends: SessionEnds,
  nowMs: number,
): Promise<{ token: TokenRow; usedAtMs: number } | undefined> {
  const found = await openSession(db, digest, ends)
    .innerJoin('token', 'token.digest', 'session.token_digest')
    .selectAll('token')
    .where('token.revoked_at', 'is', null)
    .where((where) =>
      where.or([where('token.expires_at', 'is', null), where('token.expires_at', '>', nowMs)]),
    )
    .executeTakeFirst();
  if (!found) return undefined;
  const { used_at, ...token } = found;
  return { token, usedAtMs: used_at };
}

/** The person of this issuer who opened the session, unless the session has ended or the person has no role. */
export async function readPersonSession(
  db: BackOfficeDatabase,
  digest: string,
  ends: SessionEnds,
  issuer: string,
): Promise<{ person: PersonRow; usedAtMs: number } | undefined> {
  const found = await openSession(db, digest, ends)
    .innerJoin('person', 'person.id', 'session.person_id')
    .selectAll('person')
    .where('person.issuer', '=', issuer)
    .where('person.role', 'is not', null)
    .executeTakeFirst();
  if (!found) return undefined;
  const { used_at, ...person } = found;
  return { person, usedAtMs: used_at };
}

function openSession(db: BackOfficeDatabase, digest: string, ends: SessionEnds) {
  return db
    .selectFrom('session')
    .select('session.used_at')
    .where('session.digest', '=', digest)
    .where('session.used_at', '>', ends.usedAtMs)
    .where('session.created_at', '>', ends.createdAtMs);
}

/** Records a use now, unless one was recorded after `unlessUsedAfterMs`. */
export async function touchSession(
  db: BackOfficeDatabase,
  digest: string,
  nowMs: number,
  unlessUsedAfterMs: number,
): Promise<void> {
  await db
    .updateTable('session')
    .set({ used_at: nowMs })
    .where('digest', '=', digest)
    .where('used_at', '<=', unlessUsedAfterMs)
    .execute();
}

export async function deleteSession(db: BackOfficeDatabase, digest: string): Promise<void> {
  await db.deleteFrom('session').where('digest', '=', digest).execute();
}

export async function deleteSessionsOfPerson(
  db: BackOfficeDatabase,
  personId: string,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deleteEndedSessions(
  db: BackOfficeDatabase,
  ends: SessionEnds,
): Promise<void> {
  await db
    .deleteFrom('session')
    .where((where) =>
      where.or([
        where('used_at', '<=', ends.usedAtMs),
        where('created_at', '<=', ends.createdAtMs),
      ]),
    )
    .execute();
}
