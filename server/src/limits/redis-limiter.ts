import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Limiter, Standing, Window } from './limiter.ts';
import { RedisLink } from './redis-link.ts';
import { RedisMirror } from './redis-mirror.ts';
import { RedisReturn } from './redis-return.ts';
import { RedisWindows } from './redis-windows.ts';
import { sweepIdle } from './rings.ts';

/**
 * The limiter that all nodes share: one script in Redis decides, on Redis's clock.
 *
 *     shared ──Redis lost──→ alone ──Redis back──→ merging ──→ shared
 *
 * Alone, and until it has merged, a node holds each limit by itself, going on from what it let in
 * before. Merging tells Redis what was let in meanwhile; Redis counts each admission once,
 * however often it hears of it.
 */
export async function createRedisLimiter(options: {
  url: string;
  /** Sets these windows apart from all others in the same Redis, such as `bellhop:sandbox`. */
  prefix: string;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  /** Told each time that `trouble()` begins or ends. */
  onTrouble?: (trouble: string | undefined) => void;
}): Promise<Limiter> {
  const { url, prefix, clock, log, onTrouble } = options;
  const mirror = new RedisMirror(clock);
  const link = new RedisLink(url, clock, { prepare, lost });
  const windows = new RedisWindows(link, prefix);
  const returning = new RedisReturn(link, windows, mirror, prefix);
  const sweeping = sweepIdle(mirror.tallies, clock);
  let shared = false;
  let trouble: string | undefined;
  await link.connect();

  return {
    admit(keyId, endpoint, window) {
      const refusal = mirror.refusal(keyId, endpoint, window);
      if (refusal) return refusal;
      const instantMs = mirror.nextInstant();
      if (!shared) return mirror.admitAlone(keyId, endpoint, window, instantMs);
      return admitShared(keyId, endpoint, window, instantMs);
    },

    standing(keyId, endpoint, window) {
      const refusal = mirror.refusal(keyId, endpoint, window);
      if (refusal) return refusal;
      if (!shared) return mirror.standingAlone(keyId, endpoint, window);
      return windows
        .admit(keyId, endpoint, window)
        .catch(() => mirror.standingAlone(keyId, endpoint, window));
    },

    trouble: () => trouble,

    async close() {
      shared = false;
      sweeping.cancel();
      link.close();
    },
  };

  async function admitShared(
    keyId: string,
    endpoint: string,
    window: Window,
    instantMs: number,
  ): Promise<Standing> {
    let standing: Standing;
    try {
      standing = await windows.admit(keyId, endpoint, window, mirror.idOf(instantMs));
    } catch {
      // Redis may have let it in before it was lost; the same id keeps it from counting twice.
      return mirror.admitAlone(keyId, endpoint, window, instantMs);
    }
    mirror.note(keyId, endpoint, window, instantMs, standing);
    return standing;
  }

  async function prepare(): Promise<void> {
    await returning.prepare();
    shared = true;
    await returning.mergeRest();
    if (trouble === undefined) return;
    trouble = undefined;
    log.info({}, 'Redis is back: the limits are shared again.');
    onTrouble?.(trouble);
  }

  function lost(reason: string): void {
    const isNews = trouble === undefined;
    shared = false;
    trouble = `Redis is out of reach (${reason}): this node holds the limits by itself until Redis is back.`;
    if (!isNews) return;
    log.warn({ reason }, trouble);
    onTrouble?.(trouble);
  }
}
