import { listAudit } from '../../support/audit/audit.ts';
import type { App, RouteParts } from '../app.ts';
import { AuditEntry, auditQuery } from '../schemas/audit.ts';
import { inEnvironment, pageOfSchema } from '../schemas/forms.ts';

export function auditRoutes(app: App, { signIn, environmentOf, tokenStore }: RouteParts): void {
  app.get(
    '/support/v1/:environment/audit',
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['audit'],
        operationId: 'listAudit',
        summary: 'List changes, newest first',
        params: inEnvironment,
        querystring: auditQuery,
        response: { 200: pageOfSchema(AuditEntry) },
      },
    },
    (request) => listAudit(environmentOf(request), tokenStore, request.query),
  );
}
