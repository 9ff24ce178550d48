/** A listener for people, of the back office or of the portal: an API with its document, and beside it pages and documentation. */
import type { FastifyInstance } from 'fastify';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import { type SendFile, serveBuiltFiles } from './built-files.ts';
import {
  type App,
  answerErrors,
  answerTheRest,
  createApp,
  type HttpParts,
  plain,
  refuseInvalidMessages,
} from './http-app.ts';
import { noteMethods } from './methods.ts';
import { type About, describeRoutes } from './openapi/document.ts';
import { loadDocsFiles, loadPageFiles, type Pages } from './page-files.ts';
import { preparedJson } from './prepared-json.ts';
import { readRequests } from './request-input.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { createSecurityLog, type SecurityLog } from './security-log.ts';
import { writeBySchema } from './serializers.ts';
import { compileAtFirstRequest } from './validator.ts';

interface Parts extends HttpParts {
  log: Log;
  /** Where partners find the partner API, for its documentation. */
  partnerApiUrls: ReadonlyMap<EnvironmentName, string>;
}

interface Content {
  folders: { pages: string; docs: string };
  pages: Pages;
  about: About;
  /** What routes that are added later need. */
  prepare?(app: FastifyInstance): void;
  addRoutes(app: App, securityLog: SecurityLog): void;
}

export async function createPagesApp(parts: Parts, content: Content): Promise<App> {
  const { clock, log, listener } = parts;
  const app = createApp(parts);
  const untyped = plain(app);
  const securityLog = createSecurityLog(
    log,
    parts.trustedProxies,
    listener === 'portal' ? listener : 'console',
  );
  app.setValidatorCompiler(({ schema }) => compileAtFirstRequest(schema));
  app.setSerializerCompiler(writeBySchema);
  addSecurityHeaders(untyped, parts.certificate !== undefined);
  refuseInvalidMessages(untyped);
  readRequests(untyped);
  content.prepare?.(untyped);
  const methods = noteMethods(untyped);
  const files = serveBuiltFiles(untyped, content.folders);
  const sendDocsFile = loadDocsFiles(files.docs, parts.partnerApiUrls.get('sandbox'));
  const sendPage = loadPageFiles(files.pages, content.pages);
  const sendFile: SendFile = (request, reply) =>
    sendDocsFile(request, reply) || sendPage(request, reply);
  const answerNotFound = answerTheRest(untyped, { methods, sendFile, clock });
  answerErrors(untyped, { listener, clock, log, securityLog, answerNotFound });
  const document = preparedJson(describeRoutes(untyped, content.about));
  content.addRoutes(app, securityLog);
  app.get('/openapi.json', { schema: { hide: true } }, document);
  app.after(() => methods.refuseOthers(answerNotFound));
  await app.ready();
  return app;
}
