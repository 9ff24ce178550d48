/** Health checks and metrics alone, for a process without the role `back-office`: there is nothing to sign in to. */
import type { FastifyInstance } from 'fastify';
import type { Log } from '../base/log.ts';
import { type HealthParts, healthRoutes } from './health-routes.ts';
import {
  type App,
  answerErrors,
  answerTheRest,
  createApp,
  type HttpParts,
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
  const plain = app as unknown as FastifyInstance;
  // No body is read.
  plain.removeAllContentTypeParsers();
  addSecurityHeaders(plain, parts.certificate !== undefined);
  refuseInvalidMessages(plain);
  const answerNotFound = answerTheRest(plain, { methods: noteMethods(plain), clock });
  const securityLog = createSecurityLog(log, trustedProxies);
  answerErrors(plain, { listener, clock, log, securityLog, answerNotFound });
  healthRoutes(app, parts);
  await app.ready();
  return app;
}
