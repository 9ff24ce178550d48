import type { Log } from '../base/log.ts';
import { type HealthParts, healthRoutes } from './health-routes.ts';
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
import { addSecurityHeaders } from './security-headers.ts';
import { createSecurityLog } from './security-log.ts';

export async function createMonitoring(
  given: HealthParts & Omit<HttpParts, 'listener'> & { log: Log },
): Promise<App> {
  const parts = { ...given, listener: 'back-office' as const };
  const { listener, clock, log, trustedProxies } = parts;
  const app = createApp(parts);
  const untyped = plain(app);
  // No body is read.
  untyped.removeAllContentTypeParsers();
  addSecurityHeaders(untyped, parts.certificate !== undefined);
  refuseInvalidMessages(untyped);
  const answerNotFound = answerTheRest(untyped, { methods: noteMethods(untyped), clock });
  const securityLog = createSecurityLog(log, trustedProxies);
  answerErrors(untyped, { listener, clock, log, securityLog, answerNotFound });
  healthRoutes(app, parts);
  await app.ready();
  return app;
}
