/** Reads the audit of an environment or of the back office: both have the same table. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BackOfficeDatabase } from '../../store/back-office/schema.ts';
import { isPostgres } from '../../store/engine.ts';
import { isByPartner, isByStaff } from '../../store/portal-actor.ts';
import type { AuditRow, Database } from '../../store/schema.ts';
import { readNewest, type Slice } from '../../store/slice.ts';
import { countRows, MOST_COUNTED } from '../count-queries.ts';
import { escapeLike, NAME } from '../name-queries.ts';

export interface AuditSearch {
  subject?: string | undefined;
  /** The name of a token or a person, a person's email, or the whole actor as recorded. */
  actor?: string | undefined;
  /** With `actor`: or by people of these partners, in the portal. */
  orByPartners?: readonly string[] | undefined;
  /** By people of this partner, in the portal. */
  byPartner?: string | undefined;
  action?: string | undefined;
  /** Both ends are included. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

export async function newestAudit(
  audited: Database | BackOfficeDatabase,
  slice: Slice,
  search: AuditSearch,
): Promise<AuditRow[]> {
  const db = auditIn(audited);
  const searches = await searchesOfOneActor(db, search);
  const slices = await Promise.all(searches.map((one) => newest(db, slice, one)));
  return slices.flat().sort(inOrderOf(slice)).slice(0, slice.limit);
}

export async function readAudit(db: Database, id: string): Promise<AuditRow | undefined> {
  return db.selectFrom('audit').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Compares entries as a slice orders them. */
export function inOrderOf({ ascending = false }: Pick<Slice, 'ascending'>) {
  const sign = ascending ? -1 : 1;
  return (a: Placed, b: Placed) => sign * (b.at - a.at || (a.id < b.id ? 1 : -1));
}

type Placed = Pick<AuditRow, 'at' | 'id'>;

/** See `countRows`. */
export async function countAudit(
  audited: Database | BackOfficeDatabase,
  search: AuditSearch,
): Promise<number> {
  const db = auditIn(audited);
  let count = 0;
  for (const one of await searchesOfOneActor(db, search)) {
    count += await countRows(db, entriesFound(db, one));
    if (count > MOST_COUNTED) break;
  }
  return count;
}

/** Ids of the partners that have this name now. */
export async function partnersCalled(db: Database, name: string): Promise<string[]> {
  const rows = await db
    .selectFrom('partner')
    .select('id')
    .where(NAME, '=', sql<string>`lower(${name})`)
    .limit(MOST_NAMESAKES)
    .execute();
  return rows.map(({ id }) => id);
}

/** Each is a search of its own. */
const MOST_NAMESAKES = 20;

/** An index finds the newest entries of one actor, but not of several. */
async function searchesOfOneActor(
  db: AuditDatabase,
  { actor, orByPartners = [], ...search }: AuditSearch,
): Promise<AuditSearch[]> {
  if (actor === undefined) return [search];
  const actors = new Set([actor, ...(await staffCalled(db, actor))]);
  return [
    ...[...actors].map((one) => ({ ...search, actor: one })),
    ...orByPartners.map((byPartner) => ({ ...search, byPartner })),
  ];
}

type AuditDatabase = Kysely<{ audit: AuditRow }>;

/** Kysely takes no database for one with fewer tables. */
function auditIn(db: Database | BackOfficeDatabase): AuditDatabase {
  return db as unknown as AuditDatabase;
}

function newest(db: AuditDatabase, slice: Slice, search: AuditSearch): Promise<AuditRow[]> {
  const query = entriesFound(db, search).selectAll();
  return readNewest(query, slice, { time: 'at', id: 'id' });
}

function entriesFound(
  db: AuditDatabase,
  { subject, actor, byPartner, action, sinceMs, untilMs }: AuditSearch,
) {
  let query = db.selectFrom('audit');
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (byPartner !== undefined) query = query.where(isByPartner(db, byPartner));
  if (action !== undefined) query = query.where('action', '=', action);
  if (sinceMs !== undefined) query = query.where('at', '>=', sinceMs);
  if (untilMs !== undefined) query = query.where('at', '<=', untilMs);
  return query;
}

/**
 * All actors as recorded, of this name, without the people of partners. There are as many as tokens and people, so this
 * steps through the index from one to the next instead of reading every entry.
 */
async function staffCalled(db: AuditDatabase, name: string): Promise<string[]> {
  const rows = await db
    .withRecursive('known(actor)', (step) =>
      step
        .selectFrom('audit')
        .select((of) => of.fn.min('audit.actor').as('actor'))
        .where(isByStaff())
        .unionAll(
          step
            .selectFrom('known')
            .where('known.actor', 'is not', null)
            .select((of) =>
              of
                .selectFrom('audit')
                .select((next) => next.fn.min('audit.actor').as('next'))
                .whereRef('audit.actor', '>', 'known.actor')
                .where(isByStaff())
                .$castTo<{ next: string }>()
                .as('actor'),
            )
            .$castTo<{ actor: string }>(),
        ),
    )
    .selectFrom('known')
    .select('known.actor')
    .where(isBy(db, name))
    .execute();
  return rows.map(({ actor }) => actor);
}

/**
 * An actor is recorded as `Ann (tok_…)`, `Ann <ann@example.com> (oidc …)` or `Ann (oidc …)`. People type the name
 * or the email in any case. Links in the console contain the id too, which tells one Ann from another.
 */
function isBy(db: AuditDatabase, actor: string): RawBuilder<SqlBool> {
  const typed = escapeLike(actor);
  const patterns = [
    `${typed} (tok\\_%)`,
    `${typed} (oidc %)`,
    `${typed} <%> (oidc %)`,
    `% <${typed}> (oidc %)`,
  ];
  const like = isPostgres(db) ? sql.raw('ilike') : sql.raw('like');
  const matches = patterns.map((pattern) => sql`actor ${like} ${pattern} escape '\\'`);
  return sql`(${sql.join(matches, sql` or `)})`;
}
