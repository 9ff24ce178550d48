/** Reads the audit of an environment or of the back office: both have the same table. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BackOfficeDatabase } from '../back-office/schema.ts';
import { isPostgres } from '../queue/engine.ts';
import type { AuditRow, Database } from '../schema.ts';
import { escapeLike } from './name-contains.ts';
import { readNewest, type Slice } from './page.ts';

export interface AuditSearch {
  subject?: string | undefined;
  /** The name of a token, or the name and id as recorded. */
  actor?: string | undefined;
  action?: string | undefined;
  /** Both ends are included. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

export async function newestAudit(
  audited: Database | BackOfficeDatabase,
  slice: Slice,
  { subject, actor, action, sinceMs, untilMs }: AuditSearch,
): Promise<AuditRow[]> {
  const db = audited as unknown as Kysely<{ audit: AuditRow }>;
  let query = db.selectFrom('audit').selectAll();
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (actor !== undefined) query = query.where(isBy(db, actor));
  if (action !== undefined) query = query.where('action', '=', action);
  if (sinceMs !== undefined) query = query.where('at', '>=', sinceMs);
  if (untilMs !== undefined) query = query.where('at', '<=', untilMs);
  return readNewest(query, slice, { time: 'at', id: 'id' });
}

/**
 * An actor is recorded as `Ann (tok_…)`. People type the name in any case. Links in the console contain
 * the token's id too, which tells one Ann from another.
 */
function isBy(db: Kysely<{ audit: AuditRow }>, actor: string): RawBuilder<SqlBool> {
  const pattern = `${escapeLike(actor)} (tok\\_%)`;
  return isPostgres(db)
    ? sql`(actor = ${actor} or actor ilike ${pattern} escape '\\')`
    : sql`(actor = ${actor} or actor like ${pattern} escape '\\')`;
}
