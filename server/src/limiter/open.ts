/** The limiter of one environment: in Redis if it has one, else in this process. */
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Outage } from '../base/database-errors.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { AdmissionJournal, Limiter } from './limiter.ts';

export async function openLimiter(parts: {
  environment: EnvironmentName;
  redisUrl: string | undefined;
  journal: AdmissionJournal;
  outage: Outage;
  /** Whether this process admits calls, or only shows where keys stand. */
  admits: boolean;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}): Promise<Limiter> {
  const { environment, metrics } = parts;
  const limiter = await createLimiter(parts);
  metrics.gauge(
    'bellhop_limits_degraded',
    '1 while limits that should be shared are held by this node alone, or long windows cannot be saved.',
    { environment },
    () => (limiter.trouble() ? 1 : 0),
  );
  return limiter;
}

/** Each engine is loaded only where it is used: the Redis client alone takes some megabytes. */
async function createLimiter(parts: Parameters<typeof openLimiter>[0]): Promise<Limiter> {
  const { environment, redisUrl, journal, outage, admits, clock, log } = parts;
  if (redisUrl === undefined) {
    const { createMemoryLimiter } = await import('./memory-limiter.ts');
    return createMemoryLimiter({ clock, journal, outage });
  }
  const { createRedisLimiter } = await import('./redis/shared-limiter.ts');
  return createRedisLimiter({
    url: redisUrl,
    prefix: `bellhop:{${environment}}`,
    clock,
    log,
    journal,
    outage,
    admits,
  });
}
