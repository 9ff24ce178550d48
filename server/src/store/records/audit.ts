/** Reads the audit of an environment or of the back office: both have the same table. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BackOfficeDatabase } from '../back-office/schema.ts';
import { isPostgres } from '../queue/engine.ts';
import type { AuditRow, Database } from '../schema.ts';
import { escapeLike } from './name-contains.ts';
import { readNewest, type Slice } from './page.ts';

export interface AuditSearch {
  subject?: string | undefined;
  /** The name of a token or a person, a person's email, or the whole actor as recorded. */
  actor?: string | undefined;
  action?: string | undefined;
  /** Both ends are included. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

export async function newestAudit(
  audited: Database | BackOfficeDatabase,
  slice: Slice,
  { actor, ...search }: AuditSearch,
): Promise<AuditRow[]> {
  const db = audited as unknown as AuditDatabase;
  if (actor === undefined) return newest(db, slice, search);
  // An index finds the newest of one actor, but not of several.
  const actors = await actorsCalled(db, actor);
  const slices = await Promise.all(
    actors.map((one) => newest(db, slice, { ...search, actor: one })),
  );
  return slices.flat().sort(newestFirst).slice(0, slice.limit);
}

export function newestFirst(a: AuditRow, b: AuditRow): number {
  return b.at - a.at || (a.id < b.id ? 1 : -1);
}

type AuditDatabase = Kysely<{ audit: AuditRow }>;

function newest(
  db: AuditDatabase,
  slice: Slice,
  { subject, actor, action, sinceMs, untilMs }: AuditSearch,
): Promise<AuditRow[]> {
  let query = db.selectFrom('audit').selectAll();
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (action !== undefined) query = query.where('action', '=', action);
  if (sinceMs !== undefined) query = query.where('at', '>=', sinceMs);
  if (untilMs !== undefined) query = query.where('at', '<=', untilMs);
  return readNewest(query, slice, { time: 'at', id: 'id' });
}

/**
 * All actors as recorded, of this name. There are as many actors as tokens, so this steps through the index from
 * one to the next instead of reading every entry.
 */
async function actorsCalled(db: AuditDatabase, name: string): Promise<string[]> {
  const rows = await db
    .withRecursive('known(actor)', (step) =>
      step
        .selectFrom('audit')
        .select((of) => of.fn.min('audit.actor').as('actor'))
        .unionAll(
          step
            .selectFrom('known')
            .where('known.actor', 'is not', null)
            .select((of) =>
              of
                .selectFrom('audit')
                .select((next) => next.fn.min('audit.actor').as('next'))
                .whereRef('audit.actor', '>', 'known.actor')
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
  return sql`(actor = ${actor} or ${sql.join(matches, sql` or `)})`;
}
