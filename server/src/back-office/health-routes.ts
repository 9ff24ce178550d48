/** Liveness, readiness and metrics, for programs. Anyone who can reach the listener can read them. */

import type { EnvironmentName } from '../config/settings.ts';
import { joinMetrics, type Metrics, type MetricsFormat } from '../metrics.ts';
import { storageTroubleOf, storageTroubles } from '../store/storage-trouble.ts';
import type { Store } from '../store/store.ts';
import type { App } from './http-app.ts';
import type { PartnerSide } from './partner-side.ts';
import { sharingReads } from './sharing-reads.ts';

const TIMEOUT_MS = 2_000;

const CONTENT_TYPES: Record<MetricsFormat, string> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

interface Readiness {
  status: 'ready' | 'degraded' | 'not ready';
  /** Whole sentences; empty if there are no problems. */
  troubles: string[];
}

export interface HealthParts {
  environments: ReadonlyMap<EnvironmentName, { store: Pick<Store, 'ping'> }>;
  partnerSide: PartnerSide;
  /** A sentence while the thread of the partner API does not answer. */
  trouble(): string | undefined;
  /** Sentences while the mail server does not take mails. */
  mailTroubles(): string[];
  metrics: Metrics;
}

export function healthRoutes(
  app: App,
  { environments, partnerSide, trouble, mailTroubles, metrics }: HealthParts,
): void {
  const schema = { hide: true };

  app.get('/health/live', { schema }, async (_request, reply) => {
    const found = trouble();
    if (found === undefined) return { status: 'live' };
    return reply.code(503).send({ status: 'not live', troubles: [found] });
  });

  app.get('/health/ready', { schema }, async (_request, reply) => {
    const found = trouble();
    // While the other thread does not answer, asking it is pointless.
    const readiness =
      found === undefined
        ? await readReadiness(environments, partnerSide, mailTroubles)
        : { status: 'not ready' as const, troubles: [found] };
    return reply.code(readiness.status === 'not ready' ? 503 : 200).send(readiness);
  });

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

/**
 * If a database is unreachable or read-only, calls fail, so the node is not ready. If Redis is unreachable,
 * each node enforces the limits on its own, so the node is only degraded: taking every node out of service
 * would be worse. It is degraded, too, while it serves known keys without its database, and while the mail server takes
 * no mails, which wait.
 */
async function readReadiness(
  environments: HealthParts['environments'],
  partnerSide: PartnerSide,
  mailTroubles: HealthParts['mailTroubles'],
): Promise<Readiness> {
  const broken = new Set<string>();
  const silent: EnvironmentName[] = [];
  await Promise.all(
    [...environments].map(async ([name, { store }]) => {
      try {
        await withTimeout(store.ping());
      } catch (error) {
        const trouble = storageTroubleOf(error);
        if (trouble) broken.add(`${name}: ${storageTroubles[trouble]}`);
        else silent.push(name);
      }
    }),
  );
  // After the pings, because these tell the stores whether a disk works again.
  const asked = Promise.all([
    partnerSide.troubles(),
    partnerSide.storageTroubles(),
    partnerSide.outages(),
  ]);
  const there = await withTimeout(asked).catch(() => undefined);
  if (!there) broken.add('The partner API does not answer.');
  const [troubles, brokenThere, outages] = there ?? [[], [], {}];
  const degraded = [...troubles, ...mailTroubles()];
  for (const name of silent) {
    const outage = outages[name];
    if (outage) degraded.push(`${name}: ${outage}`);
    else broken.add(`${name}: the database does not answer.`);
  }
  // Both sides use the same sentence for the same disk, and the set keeps it once.
  for (const trouble of brokenThere) broken.add(trouble);
  if (broken.size > 0) return { status: 'not ready', troubles: [...broken, ...degraded] };
  return { status: degraded.length > 0 ? 'degraded' : 'ready', troubles: degraded };
}

/** Prometheus asks for OpenMetrics if it can read it; browsers and curl do not. */
function formatFor(accept: string | undefined): MetricsFormat {
  const asked = accept?.split(',').find((one) => /^\s*application\/openmetrics-text\b/i.test(one));
  return asked === undefined || /;\s*q=0(\.0*)?\s*(;|$)/i.test(asked)
    ? 'prometheus'
    : 'openmetrics';
}

async function withTimeout<T>(work: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
