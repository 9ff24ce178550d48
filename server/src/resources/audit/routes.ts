import { Count, pageOfSchema } from '../forms.ts';
import { route } from '../route.ts';
import { AuditEntry, auditCountQuery, auditQuery, countListedAudit, listAudit } from './audit.ts';

export const auditRoutes = [
  route(
    'listAudit',
    'GET audit',
    'List changes',
    { may: 'read', query: auditQuery, reply: pageOfSchema(AuditEntry) },
    ({ environment, office, query }) => listAudit(environment, office, query),
  ),
  route(
    'countAudit',
    'GET audit/count',
    'Count changes',
    { may: 'read', query: auditCountQuery, reply: Count },
    ({ environment, office, query }) => countListedAudit(environment, office, query),
  ),
];
