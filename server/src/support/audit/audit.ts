import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import type { Engine } from '../../store/engine.ts';
import type { AuditRow } from '../../store/schema.ts';
import { readTime } from '../deliveries/deliveries.ts';
import type { Desk } from '../environment.ts';
import { mergePages, type Page, type PageRequest, pageOf } from '../page.ts';

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

/**
 * The changes in an environment, and those of tokens, which belong to none and so are in the audit of
 * each.
 */
export async function listAudit(
  { store }: Pick<Desk, 'store'>,
  backOffice: BackOfficeStore,
  filter: AuditFilter,
): Promise<Page<AuditEntry>> {
  const pages = await Promise.all([
    pageOfAudit(store.engine, store.db as unknown as Kysely<AuditTable>, filter),
    pageOfAudit(backOffice.engine, backOffice.db as unknown as Kysely<AuditTable>, filter),
  ]);
  const page = mergePages(pages, filter, positionOf);
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

interface AuditTable {
  audit: AuditRow;
}

function positionOf({ at, id }: AuditRow): [number, string] {
  return [at, id];
}

function pageOfAudit(
  engine: Engine,
  db: Kysely<AuditTable>,
  filter: AuditFilter,
): Promise<Page<AuditRow>> {
  let query = db.selectFrom('audit').selectAll();
  if (filter.subject !== undefined) query = query.where('subject', '=', filter.subject);
  if (filter.actor !== undefined) query = query.where(isBy(engine, filter.actor));
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.since !== undefined) query = query.where('at', '>=', readTime(filter.since, 'since'));
  if (filter.until !== undefined) query = query.where('at', '<=', readTime(filter.until, 'until'));
  return pageOf(query, filter, { time: 'at', id: 'id', of: positionOf });
}

/**
 * An actor is recorded as `Ann (tok_…)`. People type the name, in upper or lower case; the links in the
 * list name the token as well, which tells one Ann from another.
 */
function isBy(engine: Engine, actor: string): RawBuilder<SqlBool> {
  const pattern = `${actor.replace(/[\\%_]/g, '\\$&')} (tok\\_%)`;
  return engine === 'sqlite'
    ? sql`(actor = ${actor} or actor like ${pattern} escape '\\')`
    : sql`(actor = ${actor} or actor ilike ${pattern} escape '\\')`;
}
