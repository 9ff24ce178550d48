import {
  type Client,
  type EndpointEntry,
  OVERVIEW,
  PartnerApiError,
  readOverview,
} from './client.ts';
import { PacedWindow, type Sleep } from './paced-window.ts';
import { type Limit, readRateLimit } from './rate-limit.ts';

/**
 * Keeps any number of concurrent calls within all limits of the key, without causing a 429 and without
 * wasting allowance. It reads the limits from the overview, learns from the headers of every reply what
 * else has used the key, and reads the overview again when a reply contradicts it.
 */
export interface PacerOptions {
  client: Client;
  /** How often to read the limits again. Default one hour, because the overview itself is limited. */
  refreshSeconds?: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
  sleep?: Sleep;
}

export interface Pacer {
  /** Waits for its turn, calls, and resolves to the reply. After a 429 it waits and tries again. */
  call(endpoint: string, init?: RequestInit): Promise<Response>;
  /** The known limits. Reads the overview first if necessary. */
  limits(): Promise<readonly EndpointEntry[]>;
  /** Reads the limits again, as soon as the overview's own limit allows it. */
  refresh(): Promise<void>;
}

const DEFAULT_REFRESH_SECONDS = 3_600;
const FAILED_REFRESH_AGAIN_MS = 60_000;
/** A 429 is possible only if something else uses the key. After this many in a row it is returned. */
const MOST_429S = 5;

export function createPacer(options: PacerOptions): Pacer {
  const { client, now = () => performance.now(), sleep = sleepFor } = options;
  const refreshMs = (options.refreshSeconds ?? DEFAULT_REFRESH_SECONDS) * 1_000;
  const windows = new Map<string, PacedWindow>();
  let entries: Map<string, EndpointEntry> | undefined;
  let refreshDueMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  /** Limits in replies that the overview did not confirm; not checked again before the next refresh. */
  const unconfirmed = new Set<string>();

  function windowOf(endpoint: string): PacedWindow {
    let window = windows.get(endpoint);
    if (!window) {
      window = new PacedWindow(now, sleep);
      windows.set(endpoint, window);
    }
    return window;
  }

  async function read(): Promise<void> {
    let askedMs = now();
    try {
      const response = await attempt(OVERVIEW, '', {}, () => {
        askedMs = now();
      });
      entries = new Map((await readOverview(response)).map((entry) => [entry.endpoint, entry]));
      refreshDueMs = now() + refreshMs;
    } catch (error) {
      if (entries) refreshDueMs = now() + Math.min(refreshMs, FAILED_REFRESH_AGAIN_MS);
      throw error;
    }
    for (const [endpoint, entry] of entries) {
      const limit = limitOf(entry);
      windowOf(endpoint).set(limit, askedMs);
      unconfirmed.delete(claim(endpoint, limit));
    }
  }

  /** One read at a time, shared by all waiting callers. */
  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  /** In the background: no call waits for it or fails with it, because the known limits still apply. */
  function refreshInBackground(): void {
    if (!reading && windowOf(OVERVIEW).isFree()) refresh().catch(() => {});
  }

  async function knowLimits(): Promise<void> {
    if (entries) {
      if (now() < refreshDueMs) return;
      unconfirmed.clear();
      refreshInBackground();
      return;
    }
    // If the overview is used up for a day, the first reply of each endpoint also tells its limit.
    if (!reading && !windowOf(OVERVIEW).isFree()) return;
    try {
      await refresh();
    } catch (error) {
      if (!(error instanceof PartnerApiError && error.status === 429)) throw error;
    }
  }

  async function attempt(
    endpoint: string,
    query: string,
    init: RequestInit,
    onTurn: () => void = () => {},
  ): Promise<Response> {
    const turn = await windowOf(endpoint).takeTurn(init.signal);
    onTurn();
    try {
      const response = await client.call(endpoint + query, init);
      turn.replied(response.status, response.headers);
      return response;
    } catch (error) {
      turn.lost();
      throw error;
    }
  }

  function compareWithOverview(endpoint: string, response: Response): void {
    const entry = entries?.get(endpoint);
    const told = readRateLimit(response.headers)?.limit;
    if (!entry || (!told && !response.ok)) return;
    const news = claim(endpoint, told);
    if (news === claim(endpoint, limitOf(entry)) || unconfirmed.has(news)) return;
    unconfirmed.add(news);
    refreshInBackground();
  }

  return {
    refresh,
    async limits() {
      if (!entries) await refresh();
      return [...(entries?.values() ?? [])];
    },
    async call(address, init = {}) {
      const { endpoint, query } = parted(address);
      await unlessAborted(knowLimits(), init.signal);
      for (let refusals = 1; ; refusals++) {
        const response = await attempt(endpoint, query, init);
        compareWithOverview(endpoint, response);
        if (response.status !== 429 || refusals >= MOST_429S || !isRepeatable(init))
          return response;
        await response.body?.cancel();
      }
    },
  };
}

/** Aborts only this caller's wait; the work continues for others. */
function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal | null): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** The overview spells endpoints without a leading slash and with a trailing one. */
function parted(address: string): { endpoint: string; query: string } {
  const at = address.search(/[?#]/);
  const path = at < 0 ? address : address.slice(0, at);
  return {
    endpoint: `${path.replace(/^\/+|\/+$/g, '')}/`,
    query: at < 0 ? '' : address.slice(at),
  };
}

function limitOf({
  is_limited,
  requests_number,
  seconds_number,
}: EndpointEntry): Limit | undefined {
  return is_limited ? { requests: requests_number, spanMs: seconds_number * 1_000 } : undefined;
}

function claim(endpoint: string, limit: Limit | undefined): string {
  return limit ? `${endpoint} ${limit.requests}/${limit.spanMs}` : endpoint;
}

/** By the time a 429 arrives, a stream has already been consumed. */
function isRepeatable({ body }: RequestInit): boolean {
  return !(
    typeof body === 'object' &&
    body &&
    ('getReader' in body || Symbol.asyncIterator in body)
  );
}

function sleepFor(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
