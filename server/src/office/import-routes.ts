/** Import from another system, and export. Both are streams: no file is ever in memory as a whole. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { loggedPath } from '../base/logging/logged-path.ts';
import { askedBy, type SupportEnvironment } from '../resources/environment.ts';
import { flag, inEnvironment, isOn, query, Type } from '../resources/forms.ts';
import { approvalReference } from '../resources/grants/grant.ts';
import { auditExport, exportRecords } from '../resources/import/export.ts';
import { ImportReport } from '../resources/import/findings.ts';
import { importRecords } from '../resources/import/import.ts';
import { type CheckLine, lineSchemas } from '../resources/import/lines.ts';
import { Problem } from '../resources/problem.ts';
import type { RouteParts } from './add-routes.ts';
import { type App, typed } from './http-app.ts';
import { actorOf } from './sign-in.ts';
import { fieldErrorsOf } from './validation-errors.ts';

const NDJSON = 'application/x-ndjson';
const NOT_NDJSON = `The body must be NDJSON. Send it with Content-Type: ${NDJSON}.`;
const EXAMPLE_LINES = `{"kind":"bellhop-export","version":1}
{"kind":"partner","ref":"agency-17","name":"Acme Travel","integration_started_on":"2025-10-01"}
{"kind":"key","key_id":"8095346453","partner_ref":"agency-17","label":"Booking engine"}
`;
const base = '/support/v1/:environment';

interface ImportParts extends RouteParts {
  clock: Clock;
  log: Log;
}

export function importRoutes(app: App, parts: ImportParts): void {
  // A scope of its own: everywhere else, a body of this type is refused.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(NDJSON, (_request, body, done) => done(null, body));
    scope.addContentTypeParser('*', (_request, _body, done) =>
      done(new Problem('unsupported_media_type', NOT_NDJSON)),
    );
    importRoute(typed(scope), parts);
  });
  exportRoute(app, parts);
}

function importRoute(app: App, { signIn, environmentOf }: RouteParts): void {
  /** One at a time, because each takes memory, disk and processor. */
  const running = new Set<SupportEnvironment>();
  app.post(
    `${base}/import`,
    {
      onRequest: signIn.administer,
      config: {
        problems: ['import_refused', 'import_running', 'changed_meanwhile', 'body_too_large'],
      },
      schema: {
        tags: ['import'],
        operationId: 'importRecords',
        summary: 'Import partners, keys, grants and midoffices, all or nothing',
        description:
          'The body is NDJSON, one record per line, in any order; docs/operating/import.md describes the format. The same file again changes nothing. If a line has an error, nothing is imported (422 `import_refused`).',
        params: inEnvironment,
        querystring: query({
          dry_run: flag('Report what the import would do, and change nothing.'),
          approval_reference: Type.Optional({
            ...approvalReference,
            description:
              'In production, for all grant lines without one that let more through than before. Recorded in the audit.',
          }),
        }),
        body: {
          content: { [NDJSON]: { schema: { description: 'Partners, keys, grants, midoffices.' } } },
        },
        response: { 200: ImportReport },
      },
    },
    async (request) => {
      const environment = environmentOf(request);
      const { body } = request as { body: unknown };
      if (!(body instanceof Readable)) throw new Problem('unsupported_media_type', NOT_NDJSON);
      if (running.has(environment)) throw new Problem('import_running');
      running.add(environment);
      try {
        const actor = actorOf(request);
        return await importRecords(askedBy(actor, environment), actor, {
          body,
          isDryRun: isOn(request.query.dry_run),
          approval: request.query.approval_reference,
          checkLine: lineChecker(request),
        });
      } finally {
        running.delete(environment);
      }
    },
  );
}

function exportRoute(app: App, { signIn, environmentOf, clock, log }: ImportParts): void {
  app.get(
    `${base}/export`,
    {
      onRequest: signIn.administer,
      schema: {
        tags: ['import'],
        operationId: 'exportRecords',
        summary: 'Export partners, keys, grants and midoffices as an import takes them',
        description:
          'Streamed NDJSON. API keys are left out unless `api_keys` is given, which the audit records.',
        params: inEnvironment,
        querystring: query({ api_keys: flag('Include API keys.') }),
        response: {
          200: {
            content: {
              [NDJSON]: {
                schema: {
                  type: 'string',
                  description: 'One record per line.',
                  examples: [EXAMPLE_LINES],
                },
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const environment = environmentOf(request);
      const withApiKeys = isOn(request.query.api_keys);
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      reply.headers({
        'content-type': NDJSON,
        'content-disposition': `attachment; filename="bellhop-${environment.name}-${day}.ndjson"`,
      });
      if (request.method === 'HEAD') return reply.send('');
      const actor = actorOf(request);
      await auditExport(environment, actor, withApiKeys);
      const records = exportRecords(askedBy(actor, environment), withApiKeys);
      const lines = Readable.from(records, { objectMode: false });
      lines.on('error', (err) =>
        log.error({ err, path: loggedPath(request) }, 'an export was cut off'),
      );
      // The schema describes the whole text, and this is a stream of it.
      return reply.send(lines as never);
    },
  );
}

/** Fastify compiles each schema once. */
function lineChecker(request: FastifyRequest): CheckLine {
  return (kind, value) => {
    const check = request.compileValidationSchema(lineSchemas[kind]);
    if (check(value)) return [];
    return fieldErrorsOf(check.errors ?? []).errors;
  };
}
