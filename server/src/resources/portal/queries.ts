import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../store/engine.ts';
import type {
  Database,
  PortalLinkRow,
  PortalLinkTokenRow,
  PortalSessionRow,
} from '../../store/schema.ts';
import { readNewest, type Slice } from '../../store/slice.ts';
import { escapeLike } from '../name-queries.ts';

export async function insertLink(db: Database, row: PortalLinkRow): Promise<void> {
  await db.insertInto('portal_link').values(row).execute();
}

export async function insertLinkToken(db: Database, row: PortalLinkTokenRow): Promise<void> {
  await db.insertInto('portal_link_token').values(row).execute();
}

export async function newestLinks(
  db: Database,
  slice: Slice,
  partnerId: string,
): Promise<PortalLinkRow[]> {
  const query = db.selectFrom('portal_link').selectAll().where('partner_id', '=', partnerId);
  return readNewest(query, slice, { time: 'created_at', id: 'id' });
}

/** Locked until the end of the transaction: nobody uses it meanwhile. */
export async function linkToChange(
  db: Database,
  partnerId: string,
  id: string,
): Promise<PortalLinkRow | undefined> {
  const query = db
    .selectFrom('portal_link')
    .selectAll()
    .where('id', '=', id)
    .where('partner_id', '=', partnerId);
  return (isPostgres(db) ? query.forUpdate() : query).executeTakeFirst();
}

/** Of the partner, mailed to this address since then, and not used or over yet. Locked like the one above. */
export async function openLinksMailedTo(
  db: Database,
  { partnerId, email }: { partnerId: string; email: string },
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<PortalLinkRow[]> {
  const query = db
    .selectFrom('mail')
    .innerJoin('portal_link', 'portal_link.id', 'mail.portal_link_id')
    .selectAll('portal_link')
    .where('mail.recipient', '=', email)
    .where('mail.created_at', '>', sinceMs)
    .where('mail.partner_id', '=', partnerId)
    .where('used_at', 'is', null)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .orderBy('portal_link.id');
  return (isPostgres(db) ? query.forUpdate('portal_link') : query).execute();
}

/** Previews that this token or person can open, locked as above. */
export async function openPreviewsBy(
  db: Database,
  who: string,
  nowMs: number,
): Promise<PortalLinkRow[]> {
  const query = db
    .selectFrom('portal_link')
    .selectAll()
    .where('is_preview', '=', 1)
    .where(isBy('created_by', who))
    .where('used_at', 'is', null)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .orderBy('id');
  return (isPostgres(db) ? query.forUpdate() : query).execute();
}

/** Whoever acts is recorded as `Ann (tok_…)` or `Ann (oidc …)`: under a name that may change, and what never does. */
function isBy(column: 'created_by' | 'opened_by', who: string): RawBuilder<SqlBool> {
  return sql`${sql.ref(column)} like ${`% (${escapeLike(who)})`} escape '\\'`;
}

/** The link that can still be used. */
export async function readOpenLink(
  db: Database,
  digest: string,
  nowMs: number,
): Promise<(PortalLinkRow & { partner_name: string }) | undefined> {
  return db
    .selectFrom('portal_link_token')
    .innerJoin('portal_link', 'portal_link.id', 'portal_link_token.link_id')
    .innerJoin('partner', 'partner.id', 'portal_link.partner_id')
    .selectAll('portal_link')
    .select('partner.name as partner_name')
    .where('digest', '=', digest)
    .where('used_at', 'is', null)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .where('partner.suspended', '=', 0)
    .executeTakeFirst();
}

/** Returns false if somebody else was faster, or if it cannot be used any more. */
export async function useLink(db: Database, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('portal_link')
    .set({ used_at: nowMs })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
  return numUpdatedRows !== 0n;
}

export async function withdrawLink(db: Database, id: string, nowMs: number): Promise<void> {
  await db.updateTable('portal_link').set({ ended_at: nowMs }).where('id', '=', id).execute();
}

export async function insertSession(db: Database, row: PortalSessionRow): Promise<void> {
  await db.insertInto('portal_session').values(row).execute();
}

export type OpenSession = PortalSessionRow & {
  partner_name: string;
  /** The allow-list of the key that opened it. */
  key_allow_list: string | null;
};

/**
 * Of a partner that is not suspended and, if a key opened it, of a key that still works. Every request needs it, so the
 * flags are literals: SQLite would compile the statement again for each value, because partial indexes have conditions on them.
 */
export async function readSession(
  db: Database,
  digest: string,
  nowMs: number,
): Promise<OpenSession | undefined> {
  return db
    .selectFrom('portal_session')
    .innerJoin('partner', 'partner.id', 'portal_session.partner_id')
    .leftJoin('api_key', 'api_key.key_id', 'portal_session.key_id')
    .selectAll('portal_session')
    .select(['partner.name as partner_name', 'api_key.allowed_ips as key_allow_list'])
    .where('portal_session.digest', '=', digest)
    .where('portal_session.expires_at', '>', nowMs)
    .where('partner.suspended', '=', sql.lit(0))
    .where((where) =>
      where.or([
        where('portal_session.key_id', 'is', null),
        where.and([
          where('api_key.revoked_at', 'is', null),
          where('api_key.disabled', '=', sql.lit(0)),
          where.or([
            where('api_key.expires_at', 'is', null),
            where('api_key.expires_at', '>', nowMs),
          ]),
        ]),
      ]),
    )
    .executeTakeFirst();
}

export async function newestSessions(
  db: Database,
  slice: Slice,
  partnerId: string,
  nowMs: number,
): Promise<PortalSessionRow[]> {
  const query = db
    .selectFrom('portal_session')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('expires_at', '>', nowMs);
  return readNewest(query, slice, { time: 'created_at', id: 'id' });
}

/**
 * All sessions of the partner, one of them, those of a key (but not of these API keys of it), or the previews of a token or
 * person. Returns those that were deleted.
 */
export async function deleteSessions(
  db: Database,
  which:
    | { partnerId: string; id?: string | undefined }
    | { keyId: string; exceptFingerprints?: readonly string[] }
    | { previewsBy: string },
): Promise<PortalSessionRow[]> {
  const query = db.deleteFrom('portal_session');
  if ('previewsBy' in which) {
    const isTheirs = isBy('opened_by', which.previewsBy);
    return query.where('came_by', '=', 'support').where(isTheirs).returningAll().execute();
  }
  if ('keyId' in which) {
    const { keyId, exceptFingerprints: kept = [] } = which;
    const ofKey = query.where('key_id', '=', keyId);
    const ended = kept.length === 0 ? ofKey : ofKey.where('key_fingerprint', 'not in', kept);
    return ended.returningAll().execute();
  }
  const { partnerId, id } = which;
  const ofPartner = query.where('partner_id', '=', partnerId);
  return (id === undefined ? ofPartner : ofPartner.where('id', '=', id)).returningAll().execute();
}

/** Sessions of this API key last no longer than until then. */
export async function shortenSessions(
  db: Database,
  { keyId, fingerprint }: { keyId: string; fingerprint: string },
  untilMs: number,
): Promise<void> {
  await db
    .updateTable('portal_session')
    .set({ expires_at: untilMs })
    .where('key_id', '=', keyId)
    .where('key_fingerprint', '=', fingerprint)
    .where('expires_at', '>', untilMs)
    .execute();
}

/** All but the newest of a partner, and whatever ended before this time. */
export async function deleteOldSessions(
  db: Database,
  partnerId: string,
  { keep, endedMs }: { keep: number; endedMs: number },
): Promise<void> {
  const newest = db
    .selectFrom('portal_session')
    .select('id')
    .where('partner_id', '=', partnerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(keep);
  await db
    .deleteFrom('portal_session')
    .where('partner_id', '=', partnerId)
    .where('id', 'not in', newest)
    .execute();
  await db.deleteFrom('portal_session').where('expires_at', '<=', endedMs).execute();
}

export async function deleteOldLinks(db: Database, endedMs: number): Promise<void> {
  const old = db.selectFrom('portal_link').select('id').where('expires_at', '<=', endedMs);
  await db.deleteFrom('portal_link_token').where('link_id', 'in', old).execute();
  await db.deleteFrom('portal_link').where('expires_at', '<=', endedMs).execute();
}

/** When somebody did something that is paced, and through which session. */
export type Turn = [at: number, sessionId?: string];

/** When a partner did this last, locked until the end of the transaction. */
export async function turnsToChange(
  db: Database,
  partnerId: string,
  what: string,
): Promise<Turn[]> {
  const row = { partner_id: partnerId, what, times: '[]' };
  await db
    .insertInto('portal_pace')
    .values(row)
    .onConflict((conflict) => conflict.columns(['partner_id', 'what']).doNothing())
    .execute();
  const query = db
    .selectFrom('portal_pace')
    .select('times')
    .where('partner_id', '=', partnerId)
    .where('what', '=', what);
  const { times } = await (isPostgres(db) ? query.forUpdate() : query).executeTakeFirstOrThrow();
  return JSON.parse(times) as Turn[];
}

export async function writeTurns(
  db: Database,
  partnerId: string,
  what: string,
  turns: readonly Turn[],
): Promise<void> {
  await db
    .updateTable('portal_pace')
    .set({ times: JSON.stringify(turns) })
    .where('partner_id', '=', partnerId)
    .where('what', '=', what)
    .execute();
}
