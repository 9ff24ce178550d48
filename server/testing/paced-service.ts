/**
 * The service as a pacer sees it, in virtual time: the real limiter and the real headers behind calls that
 * take as long as a test wants. The limit of a day takes milliseconds.
 */
import { type Client, createPacer, type EndpointEntry, type Pacer } from '@bellhop/partner';
import { rateLimitHeaders } from '../src/gateway/rate-limit-headers.ts';
import { createMemoryLimiter } from '../src/limiter/memory-limiter.ts';
import { ManualClock } from './manual-clock.ts';

export const HP = 'api/b2b/v3/search/hp/';
export const OVERVIEW = 'api/b2b/v3/overview/';

export interface PacedService {
  clock: ManualClock;
  pacer: Pacer;
  /** Every call as it was answered. */
  answered: { address: string; status: number }[];
  /** Changed by tests as support would. */
  entries: Map<string, EndpointEntry>;
  /** Every sleep that the pacer asked for. */
  sleepsMs: number[];
  /** Uses the key from elsewhere. */
  useElsewhere(endpoint: string): Promise<void>;
  /** Lets time pass until the promise is settled; resolves to the time it took. */
  until(work: Promise<unknown>): Promise<number>;
  pass(ms: number): Promise<void>;
}

export function entry(endpoint: string, requests: number, seconds: number): EndpointEntry {
  return {
    endpoint,
    is_active: true,
    is_debug_mode: false,
    is_limited: true,
    requests_number: requests,
    seconds_number: seconds,
  };
}

/** `delays` gives the milliseconds from sending to counting, and from counting to the reply. */
export async function pacedService(
  limits: EndpointEntry[],
  delays: () => [number, number] = () => [2, 3],
): Promise<PacedService> {
  const clock = new ManualClock();
  const limiter = await createMemoryLimiter({ clock });
  const entries = new Map(limits.map((limit) => [limit.endpoint, limit]));
  const answered: PacedService['answered'] = [];
  const sleepsMs: number[] = [];
  const wait = (ms: number, signal?: AbortSignal | null) =>
    new Promise<void>((resolve, reject) => {
      const timer = clock.after(ms, resolve);
      signal?.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });

  async function count(endpoint: string): Promise<Response> {
    const limit = entries.get(endpoint);
    if (!limit) return Response.json({ error: 'endpoint_not_found' }, { status: 403 });
    const data = endpoint === OVERVIEW ? [...entries.values()] : null;
    const envelope = { data, debug: null, error: null, status: 'ok' };
    if (!limit.is_limited) return Response.json(envelope);
    const window = { requests: limit.requests_number, seconds: limit.seconds_number };
    const standing = await limiter.admit('1', endpoint, window);
    const pairs = rateLimitHeaders(window, standing, clock.now());
    const headers = new Headers();
    for (let i = 0; i < pairs.length; i += 2) {
      headers.set(pairs[i] as string, pairs[i + 1] as string);
    }
    if (standing.admitted) return Response.json(envelope, { headers });
    headers.set('retry-after', String(Math.ceil(standing.resetInMs / 1_000)));
    return Response.json({ error: 'endpoint_exceeded_limit' }, { status: 429, headers });
  }

  const client: Client = {
    async call(address) {
      const [toCounting, toReply] = delays();
      await wait(toCounting);
      const response = await count(address.split('?')[0] as string);
      await wait(toReply);
      answered.push({ address, status: response.status });
      return response;
    },
    overview: () => Promise.reject(new Error('the pacer reads it through call')),
  };
  /** Lets everything happen that is due by now. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  return {
    clock,
    answered,
    entries,
    sleepsMs,
    pacer: createPacer({
      client,
      now: () => clock.monotonic(),
      sleep(ms, signal) {
        sleepsMs.push(ms);
        return wait(ms, signal);
      },
    }),
    async useElsewhere(endpoint) {
      await count(endpoint);
    },
    async until(work) {
      const startMs = clock.monotonic();
      let isSettled = false;
      const settled = () => {
        isSettled = true;
      };
      work.then(settled, settled);
      await settle();
      while (!isSettled) {
        clock.advance(clock.nextTimerInMs ?? 0);
        await settle();
      }
      return clock.monotonic() - startMs;
    },
    async pass(ms) {
      const endMs = clock.monotonic() + ms;
      await settle();
      while (clock.monotonic() < endMs) {
        const leftMs = endMs - clock.monotonic();
        clock.advance(Math.min(clock.nextTimerInMs ?? leftMs, leftMs));
        await settle();
      }
    },
  };
}

export function refusals({ answered }: PacedService): number {
  return answered.filter(({ status }) => status === 429).length;
}

export function callsOf({ answered }: PacedService, endpoint: string): number {
  return answered.filter(({ address }) => address === endpoint).length;
}
