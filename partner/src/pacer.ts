import { type Client, type EndpointEntry, OVERVIEW, readOverview } from './client.ts';
import { PacedWindow } from './paced-window.ts';

/**
 * Keeps any number of concurrent calls inside every limit of the key, without earning a 429 and
 * without leaving allowance unused. It reads the limits from the overview, learns from the headers
 * of every reply what else has used the key, and asks the overview anew when the limits change.
 */
export interface PacerOptions {
  client: Client;
  /** How often the limits are read anew. Default one hour: the overview itself is limited. */
  refreshSeconds?: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
  sleep?: (ms: number, signal?: AbortSignal | null) => Promise<void>;
}

export interface Pacer {
  /** Waits its turn, then calls; the reply as it came. A 429 is waited out and tried again. */
  call(endpoint: string, init?: RequestInit): Promise<Response>;
  /** The limits as they are known; asks for them first if they are not. */
  limits(): Promise<readonly EndpointEntry[]>;
  /** Asks for the limits anew. */
  refresh(): Promise<void>;
}

const DEFAULT_REFRESH_SECONDS = 3_600;
/** A 429 is possible only when something else used the key; after so many in a row it is handed on. */
const MOST_429S = 5;

export function createPacer(options: PacerOptions): Pacer {
  const { client, now = () => performance.now(), sleep = sleepFor } = options;
  const refreshMs = (options.refreshSeconds ?? DEFAULT_REFRESH_SECONDS) * 1_000;
  const windows = new Map<string, PacedWindow>();
  let entries: EndpointEntry[] | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  function windowOf(endpoint: string): PacedWindow {
    let window = windows.get(endpoint);
    if (!window) {
      window = new PacedWindow(now, sleep);
      windows.set(endpoint, window);
    }
    return window;
  }

  async function read(): Promise<void> {
    const response = await paced(OVERVIEW, {});
    entries = await readOverview(response);
    readAtMs = now();
    for (const entry of entries) {
      const { is_limited, requests_number, seconds_number } = entry;
      windowOf(entry.endpoint).set(is_limited ? requests_number : undefined, seconds_number);
    }
  }

  /** One reading at a time, shared by all who wait for it. */
  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function paced(endpoint: string, init: RequestInit): Promise<Response> {
    const window = windowOf(endpoint);
    for (let refusals = 0; ; refusals++) {
      const turn = await window.takeTurn(init.signal);
      let response: Response;
      try {
        response = await client.call(endpoint, init);
      } catch (error) {
        // It may have been counted: as far as we know, it was.
        turn.done();
        throw error;
      }
      turn.done(response.headers, response.status === 429);
      if (response.status !== 429 || refusals + 1 >= MOST_429S) return response;
      await response.body?.cancel();
    }
  }

  return {
    refresh,
    async limits() {
      if (!entries) await refresh();
      return entries ?? [];
    },
    async call(endpoint, init = {}) {
      const spelled = `${endpoint.replace(/^\/+|\/+$/g, '')}/`;
      if (!entries || now() - readAtMs > refreshMs) await refresh();
      return paced(spelled, init);
    },
  };
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
