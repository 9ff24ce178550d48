import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Engine } from '../store/engine.ts';
import { readTime } from './deliveries.ts';
import type { Desk } from './desk.ts';
import { type Page, type PageRequest, pageOf } from './page.ts';

export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
}

export interface AuditFilter extends PageRequest {
  subject?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  /** ISO 8601. */
  since?: string | undefined;
  until?: string | undefined;
}

export async function listAudit(desk: Desk, filter: AuditFilter): Promise<Page<AuditEntry>> {
  let query = desk.store.db.selectFrom('audit').selectAll();
  if (filter.subject !== undefined) query = query.where('subject', '=', filter.subject);
  if (filter.actor !== undefined) query = query.where(isBy(desk.store.engine, filter.actor));
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.since !== undefined) query = query.where('at', '>=', readTime(filter.since, 'since'));
  if (filter.until !== undefined) query = query.where('at', '<=', readTime(filter.until, 'until'));
  const page = await pageOf(query, filter, {
    time: 'at',
    id: 'id',
    of: (row) => [row.at, row.id],
  });
  return {
    ...page,
    items: page.items.map((row) => ({
      ...row,
      at: new Date(row.at).toISOString(),
      before: row.before && JSON.parse(row.before),
      after: row.after && JSON.parse(row.after),
    })),
  };
}

/**
 * An actor is written down as `Ann (tok_…)`. People type the name, in whichever case; the links in
 * the list name the token as well, which tells one Ann from another.
 */
function isBy(engine: Engine, actor: string): RawBuilder<SqlBool> {
  const pattern = `${actor.replace(/[\\%_]/g, '\\$&')} (tok\\_%)`;
  return engine === 'sqlite'
    ? sql`(actor = ${actor} or actor like ${pattern} escape '\\')`
    : sql`(actor = ${actor} or actor ilike ${pattern} escape '\\')`;
}
