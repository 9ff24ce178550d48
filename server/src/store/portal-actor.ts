/**
 * People of a partner in the portal, as the audit records them: with the partner's name of that day, which tells a
 * reader who it was, and its id, which finds them after the partner was renamed.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from './engine.ts';

export function portalActor({ id, name }: { id: string; name: string }): string {
  return `${name}${tailOf(id)}`;
}

/** All that a partner learns of who it was. */
export function byWhom(actor: string, partnerId: string): 'partner' | 'support' {
  return actor.endsWith(tailOf(partnerId)) ? 'partner' : 'support';
}

/** Spelled as the index `audit_by_portal_partner`; another spelling would read the whole audit. */
export function isByPartner(
  db: Pick<Kysely<unknown>, 'getExecutor'>,
  partnerId: string,
): RawBuilder<SqlBool> {
  const tail = isPostgres(db)
    ? sql`right(actor, ${sql.lit(TAIL_LENGTH)})`
    : sql`substr(actor, ${sql.lit(-TAIL_LENGTH)})`;
  return sql<SqlBool>`${tail} = ${tailOf(partnerId)} and actor like '% (portal par%)'`;
}

/** Spelled as the index `audit_by_staff`. */
export function isByStaff(): RawBuilder<SqlBool> {
  return sql<SqlBool>`actor not like '% (portal par%)'`;
}

/** Ids of partners all have the same length. */
const TAIL_LENGTH = tailOf(`par_${'0'.repeat(28)}`).length;

function tailOf(partnerId: string): string {
  return ` (portal ${partnerId})`;
}
