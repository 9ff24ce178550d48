import { Count, pageOfSchema } from '../forms.ts';
import { route } from '../route.ts';
import { AuditEntry, auditCountQuery, auditQuery, countListedAudit, listAudit } from './audit.ts';
import { Reversion, revertChange } from './revert.ts';

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
  route(
    'revertChange',
    'POST audit/:id/revert',
    'Undo a change of fields, a limit or an endpoint',
    {
      may: 'change',
      body: Reversion,
      reply: AuditEntry,
      problems: [
        'audit_entry_not_found',
        'not_revertible',
        'changed_since',
        'key_not_found',
        'key_revoked',
        'midoffice_not_found',
        'receiver_refused',
        'endpoint_not_granted',
        'certification_required',
        'approval_required',
      ],
      more: 'By the same rules as the change itself: in production, putting back a higher limit needs a certified partner and an `approval_reference`. If the record has changed since, nothing changes (409 `changed_since`). Returns the new entry; its `after` names the one that it `reverts`.',
    },
    ({ environment, actor, params, body }) => revertChange(environment, actor, params.id, body),
  ),
];
