import type { BackOfficeDatabase, PersonRow, SessionRow, TokenRow } from './schema.ts';

/** A session that was last used or opened at or before these times has ended. */
export interface SessionEnds {
  usedAtMs: number;
  createdAtMs: number;
}

/** Who opens a session: a token, or a person with the role of their sign-in. */
export type Opener = { token: TokenRow } | { person: PersonRow };

/** What is known of a person's role, and how to ask the provider again. */
export type Confirmation = Pick<SessionRow, 'confirmed_at' | 'confirm_after' | 'sealed_tokens'>;

/**
 * Inserts the session unless its opener has changed since they signed in; returns whether it did. The opener's row is
 * locked: a request that takes the token or the role away waits, and then finds this session to delete.
 */
export async function insertSession(
  db: BackOfficeDatabase,
  opener: Opener,
  { digest, nowMs, confirmation }: NewSession,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOpener(transaction, opener))) return false;
    const row: SessionRow = {
      digest,
      token_digest: 'token' in opener ? opener.token.digest : '',
      person_id: 'person' in opener ? opener.person.id : null,
      created_at: nowMs,
      used_at: nowMs,
      ...confirmation,
    };
    await transaction.insertInto('session').values(row).execute();
    return true;
  });
}

interface NewSession {
  digest: string;
  nowMs: number;
  confirmation: Confirmation;
}

async function lockOpener(db: BackOfficeDatabase, opener: Opener): Promise<boolean> {
  const { numUpdatedRows } = await ('token' in opener
    ? db
        .updateTable('token')
        .set({ digest: opener.token.digest })
        .where('digest', '=', opener.token.digest)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
    : db
        .updateTable('person')
        .set({ role: opener.person.role })
        .where('id', '=', opener.person.id)
        .where('role', '=', opener.person.role)
        .executeTakeFirst());
  return numUpdatedRows !== 0n;
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
): Promise<PersonSession | undefined> {
  const found = await openSession(db, digest, ends)
    .innerJoin('person', 'person.id', 'session.person_id')
    .selectAll('person')
    .select(CONFIRMATION)
    .where('person.issuer', '=', issuer)
    .where('person.role', 'is not', null)
    .executeTakeFirst();
  if (!found) return undefined;
  const { used_at, confirmed_at, confirm_after, sealed_tokens, ...person } = found;
  const confirmation = { confirmed_at, confirm_after, sealed_tokens };
  return { person, usedAtMs: used_at, confirmation };
}

export interface PersonSession {
  person: PersonRow;
  usedAtMs: number;
  confirmation: Confirmation;
}

const CONFIRMATION = [
  'session.confirmed_at',
  'session.confirm_after',
  'session.sealed_tokens',
] as const;

/** Undefined if the session has ended. */
export async function readConfirmation(
  db: BackOfficeDatabase,
  digest: string,
): Promise<Confirmation | undefined> {
  return db
    .selectFrom('session')
    .select(CONFIRMATION)
    .where('digest', '=', digest)
    .executeTakeFirst();
}

/** Writes what has changed, unless someone else has since `seen`; returns whether it did. */
export async function changeConfirmation(
  db: BackOfficeDatabase,
  digest: string,
  seen: Pick<Confirmation, 'confirm_after'>,
  changed: Partial<Confirmation>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('session')
    .set(changed)
    .where('digest', '=', digest)
    .where('confirm_after', '=', seen.confirm_after)
    .executeTakeFirst();
  return numUpdatedRows !== 0n;
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

/** Which sessions end. People and tokens end theirs with a change of their own, which the audit has. */
export type EndedSessions =
  | { digest: string }
  | { personId: string }
  | { tokenDigest: string }
  /** Of people of other issuers; of all people, if there is none. */
  | { exceptIssuer: string | undefined }
  /** Whose time is over. */
  | SessionEnds;

export function sessionDeletion(db: BackOfficeDatabase, which: EndedSessions) {
  const query = db.deleteFrom('session');
  if ('digest' in which) return query.where('digest', '=', which.digest);
  if ('personId' in which) return query.where('person_id', '=', which.personId);
  if ('tokenDigest' in which) return query.where('token_digest', '=', which.tokenDigest);
  if ('exceptIssuer' in which) {
    const ours = db
      .selectFrom('person')
      .select('id')
      .where('issuer', '=', which.exceptIssuer ?? '');
    return query.where('person_id', 'is not', null).where('person_id', 'not in', ours);
  }
  return query.where((where) =>
    where.or([
      where('used_at', '<=', which.usedAtMs),
      where('created_at', '<=', which.createdAtMs),
    ]),
  );
}

/** Returns how many. */
export async function endSessions(db: BackOfficeDatabase, which: EndedSessions): Promise<number> {
  const { numDeletedRows } = await sessionDeletion(db, which).executeTakeFirst();
  return Number(numDeletedRows);
}
