import { countListedAudit, listAudit } from '../../support/audit/audit.ts';
import type { App, RouteParts } from '../app.ts';
import { AuditEntry, auditCountQuery, auditQuery } from '../schemas/audit.ts';
import { Count, inEnvironment, pageOfSchema } from '../schemas/forms.ts';

export function auditRoutes(app: App, { signIn, environmentOf, tokenStore }: RouteParts): void {
  app.get(
    '/support/v1/:environment/audit',
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['audit'],
        operationId: 'listAudit',
        summary: 'List changes',
        params: inEnvironment,
        querystring: auditQuery,
        response: { 200: pageOfSchema(AuditEntry) },
      },
    },
    (request) => listAudit(environmentOf(request), tokenStore, request.query),
  );

  app.get(
    '/support/v1/:environment/audit/count',
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['audit'],
        operationId: 'countAudit',
        summary: 'Count changes',
        params: inEnvironment,
        querystring: auditCountQuery,
        response: { 200: Count },
      },
    },
    (request) => countListedAudit(environmentOf(request), tokenStore, request.query),
  );
}
