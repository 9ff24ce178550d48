import { Agent } from 'undici';
import type { Cidr } from './address.ts';
import { createConnector } from './connector.ts';
import { type Answered, Exchange, type Failed } from './exchange.ts';
import { ABORTED, NOT_A_URL } from './failure.ts';
import { createResolver, type Resolve } from './resolve.ts';

/**
 * One POST to a receiver, which is taken to be hostile: its address is vetted at the dial, nothing
 * is followed or repeated, one deadline covers everything from the lookup to the reply's last byte,
 * and of the reply only the beginning is kept. It always resolves: a failure is an outcome too.
 */
export interface Poster {
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<Answered | Failed>;
  /** Closes every connection; attempts in flight fail with `aborted`. */
  close(): Promise<void>;
}

export interface PosterOptions {
  allow: readonly Cidr[];
  /** For one whole attempt. */
  timeoutMs: number;
  userAgent: string;
  /** More attempts than this to one origin wait for each other; unbounded if not given, since each midoffice is bounded by itself. */
  connectionsPerOrigin?: number;
  resolve?: Resolve;
  /** Roots to trust instead of Node's own; for tests. */
  ca?: string[];
}

const MAX_HEADER_BYTES = 16 * 1_024;
/** Servers close idle connections after 5 s (Node), 60 s (nginx), and more; they may say so. */
const IDLE_MS = 4_000;
const IDLE_AT_MOST_MS = 30_000;

const KEPT_TARGETS = 10_000;

interface Target {
  origin: string;
  path: string;
}

export function createPoster(options: PosterOptions): Poster {
  const { allow, timeoutMs, userAgent, connectionsPerOrigin, ca } = options;
  const { resolve = createResolver() } = options;
  const agent = new Agent({
    connect: createConnector({ allow, resolve, timeoutMs, ca }),
    connections: connectionsPerOrigin ?? null,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_AT_MOST_MS,
    // The deadline below covers both, and undici's own are only checked every half second.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  /** A midoffice's address is the same on every attempt, so it is read once. */
  const targets = new Map<string, Target>();

  function targetOf(url: string): Target | undefined {
    const known = targets.get(url);
    if (known || !URL.canParse(url)) return known;
    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search };
    if (targets.size >= KEPT_TARGETS) targets.clear();
    targets.set(url, target);
    return target;
  }

  return {
    post(url, headers, body, signal) {
      return new Promise((settle) => {
        const exchange = new Exchange(timeoutMs, settle);
        const target = targetOf(url);
        if (!target) return exchange.breakOff(NOT_A_URL);
        if (signal?.aborted) return exchange.breakOff(ABORTED);
        if (signal) exchange.heed(signal);
        const type = headers['content-type'] ?? 'application/json';
        const lines = ['content-type', type, 'user-agent', userAgent];
        for (const name in headers) {
          if (name !== 'content-type') lines.push(name, headers[name] as string);
        }
        agent.dispatch({ ...target, method: 'POST', headers: lines, body }, exchange);
      });
    },
    close: () => agent.destroy(),
  };
}
