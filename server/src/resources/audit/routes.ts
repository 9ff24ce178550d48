import { Count, pageOfSchema } from '../forms.ts';
import { route } from '../route.ts';
import { AuditEntry, auditCountQuery, auditQuery, countListedAudit, listAudit } from './audit.ts';

export const auditRoutes = [
  route(
    'listAudit',
    'GET audit',
    'List changes',
    { may: 'read', query: auditQuery, reply: pageOfSchema(AuditEntry) },
    ({ environment, backOfficeStore, query }) => listAudit(environment, backOfficeStore, query),
  ),
  route(
    'countAudit',
    'GET audit/count',
    'Count changes',
    { may: 'read', query: auditCountQuery, reply: Count },
    ({ environment, backOfficeStore, query }) =>
      countListedAudit(environment, backOfficeStore, query),
  ),
];
