/** For machines: is it alive, can it serve, and the metrics. Open to whoever reaches the listener. */

import { joinMetrics } from '../../metrics.ts';
import { storageTroubleOf, storageTroubles } from '../../store/storage-trouble.ts';
import type { App, RouteParts } from '../app.ts';

const PATIENCE_MS = 2_000;

interface Readiness {
  status: 'ready' | 'degraded' | 'not ready';
  /** Whole sentences; empty when all is well. */
  troubles: string[];
}

export function healthRoutes(
  app: App,
  { environments, partnerSide, trouble, metrics }: RouteParts,
): void {
  const schema = { hide: true };

  app.get('/health/live', { schema }, async (_request, reply) => {
    const found = trouble();
    if (found === undefined) return { status: 'live' };
    return reply.code(503).send({ status: 'not live', troubles: [found] });
  });

  app.get('/health/ready', { schema }, async (_request, reply) => {
    const found = trouble();
    // Nothing to ask it then: the answer would not come.
    const readiness =
      found === undefined
        ? await readReadiness(environments, partnerSide)
        : { status: 'not ready' as const, troubles: [found] };
    return reply.code(readiness.status === 'not ready' ? 503 : 200).send(readiness);
  });

  app.get('/metrics', { schema }, async (_request, reply) =>
    reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(joinMetrics(await partnerMetrics(), metrics.text())),
  );

  /** Without them rather than not at all: the scrape is how people hear that the thread hangs. */
  async function partnerMetrics(): Promise<string> {
    return withinPatience(partnerSide.metricsText()).catch(() => '');
  }
}

/**
 * A lost database, or one that cannot be written to, means that calls fail: not ready. A lost Redis
 * means that each node holds the limits by itself: worth a look, but taking every node out of service
 * would be worse.
 */
async function readReadiness(
  environments: RouteParts['environments'],
  partnerSide: RouteParts['partnerSide'],
): Promise<Readiness> {
  const broken = new Set<string>();
  await Promise.all(
    [...environments].map(async ([name, { store }]) => {
      try {
        await withinPatience(store.ping());
      } catch (error) {
        const trouble = storageTroubleOf(error);
        broken.add(
          `${name}: ${trouble ? storageTroubles[trouble] : 'the database does not answer.'}`,
        );
      }
    }),
  );
  // After the pings, by which the stores find out whether a disk is well again.
  const asked = Promise.all([partnerSide.troubles(), partnerSide.storageTroubles()]);
  const there = await withinPatience(asked).catch(() => undefined);
  if (!there) broken.add('The partner API does not answer.');
  const [degraded, brokenThere] = there ?? [[], []];
  // The same sentences, where the same disk is meant.
  for (const trouble of brokenThere) broken.add(trouble);
  if (broken.size > 0) return { status: 'not ready', troubles: [...broken, ...degraded] };
  return { status: degraded.length > 0 ? 'degraded' : 'ready', troubles: degraded };
}

async function withinPatience<T>(work: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
