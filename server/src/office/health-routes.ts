/** Liveness, readiness and metrics, for programs. Anyone who can reach the listener can read them. */
import type { FastifyReply } from 'fastify';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import { joinMetrics, type Metrics, type MetricsFormat } from '../base/metrics.ts';
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
import type { PartnerSide } from './partner-side.ts';
import { type ReadinessParts, readReadiness, withTimeout } from './readiness.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { createSecurityLog } from './security-log.ts';
import { sharingReads } from './sharing-reads.ts';

const CONTENT_TYPES: Record<MetricsFormat, string> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

interface HealthParts extends ReadinessParts {
  partnerSide: PartnerSide;
  metrics: Metrics;
}

export function healthRoutes(app: App, parts: HealthParts): void {
  const { environments, partnerSide, trouble, metrics } = parts;
  const schema = { hide: true };

  app.get('/health/live', { schema }, async (_request, reply) => {
    const found = trouble();
    if (found === undefined) return { status: 'live' };
    return reply.code(503).send({ status: 'not live', troubles: [found] });
  });

  app.get('/health/ready', { schema }, (_request, reply) => sendReadiness(reply));
  for (const name of environments.keys()) {
    app.get(`/health/ready/${name}`, { schema }, (_request, reply) => sendReadiness(reply, name));
  }

  async function sendReadiness(reply: FastifyReply, only?: EnvironmentName): Promise<FastifyReply> {
    const readiness = await readReadiness(parts, only);
    return reply.code(readiness.status === 'not ready' ? 503 : 200).send(readiness);
  }

  app.get('/metrics', { schema }, async ({ headers }, reply) => {
    const format = formatFor(headers.accept);
    return reply
      .header('vary', 'accept')
      .type(CONTENT_TYPES[format])
      .send(await read(format));
  });

  // Anyone may ask, as often as they like, and it takes both threads 2 ms.
  const read = sharingReads(readMetrics);

  async function readMetrics(format: MetricsFormat): Promise<string> {
    const partner = await partnerMetrics(format);
    return joinMetrics(format, partner, metrics.text(format));
  }

  /** If they are late, the reply comes without them: the scrape is how people learn that the thread hangs. */
  async function partnerMetrics(format: MetricsFormat): Promise<string> {
    return withTimeout(partnerSide.metricsText(format)).catch(() => '');
  }
}

/** Prometheus asks for OpenMetrics if it can read it; browsers and curl do not. */
function formatFor(accept: string | undefined): MetricsFormat {
  const asked = accept?.split(',').find((one) => /^\s*application\/openmetrics-text\b/i.test(one));
  return asked === undefined || /;\s*q=0(\.0*)?\s*(;|$)/i.test(asked)
    ? 'prometheus'
    : 'openmetrics';
}

/** A listener for these alone, of a process without a back office. */
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
