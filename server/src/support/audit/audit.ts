import type { BackOfficeStore } from '../../store/back-office/store.ts';
import { newestAudit, newestFirst } from '../../store/records/audit.ts';
import type { AuditRow } from '../../store/schema.ts';
import { readTime } from '../deliveries/deliveries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';

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

/** The changes in an environment. Those to tokens belong to no environment, so every audit shows them. */
export async function listAudit(
  { store }: Pick<SupportEnvironment, 'store'>,
  backOffice: BackOfficeStore,
  filter: AuditFilter,
): Promise<Page<AuditEntry>> {
  const { subject, actor, action, since, until } = filter;
  const search = {
    subject,
    actor,
    action,
    sinceMs: since === undefined ? undefined : readTime(since, 'since'),
    untilMs: until === undefined ? undefined : readTime(until, 'until'),
  };
  return pageOf(filter, {
    async read(slice) {
      const slices = await Promise.all([
        newestAudit(store.db, slice, search),
        newestAudit(backOffice.db, slice, search),
      ]);
      return slices.flat().sort(newestFirst);
    },
    positionOf: ({ at, id }) => [at, id],
    show: showEntry,
  });
}

function showEntry(row: AuditRow): AuditEntry {
  return {
    ...row,
    at: new Date(row.at).toISOString(),
    before: row.before && JSON.parse(row.before),
    after: row.after && JSON.parse(row.after),
  };
}
