import type { Cidr } from '../addresses/addresses.ts';
import { createConnector } from './connector.ts';
import { type Answered, Exchange, type Failed } from './exchange.ts';
import { ABORTED, BAD_HEADER, NOT_A_URL } from './failure.ts';
import { ReceiverConnections } from './receiver-connections.ts';
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
    guard?: Guard,
  ): Promise<Answered | Failed>;
  /** Closes every connection; attempts in flight fail with `aborted`. */
  close(): Promise<void>;
}

/** Whoever asked for a POST may no longer want it. */
export interface Guard {
  /** Asked right before the request is written, which may be long after the call. */
  isWanted(): boolean;
  /** Set by the poster: breaks the exchange off, wherever it stands. */
  breakOff?: () => void;
}

export interface PosterOptions {
  allow: readonly Cidr[];
  /** For one whole attempt. */
  timeoutMs: number;
  userAgent: string;
  resolve?: Resolve;
  /** Roots to trust instead of Node's own; for tests. */
  ca?: string[];
}

const KEPT_TARGETS = 10_000;
/** How often connections that have rested for too long are looked for. */
const CLOSE_IDLE_EVERY_MS = 1_000;

interface Target {
  url: URL;
  /** The request line and the host, as they stand in every request. */
  beginning: string;
}

export function createPoster(options: PosterOptions): Poster {
  const { allow, timeoutMs, userAgent, ca } = options;
  const { resolve = createResolver() } = options;
  const dial = createConnector({ allow, resolve, timeoutMs, ca });
  const receivers = new Map<string, ReceiverConnections>();
  /** A midoffice's address is the same on every attempt, so it is read once. */
  const targets = new Map<string, Target>();
  let closed = false;
  const closingIdle = setInterval(closeIdle, CLOSE_IDLE_EVERY_MS).unref();

  function targetOf(url: string): Target | undefined {
    const known = targets.get(url);
    if (known || !URL.canParse(url)) return known;
    const parsed = new URL(url);
    const beginning = `POST ${parsed.pathname}${parsed.search} HTTP/1.1\r\nhost: ${parsed.host}\r\nconnection: keep-alive\r\n`;
    const target = { url: parsed, beginning };
    if (targets.size >= KEPT_TARGETS) targets.clear();
    targets.set(url, target);
    return target;
  }

  function connectionsTo({ url }: Target): ReceiverConnections {
    let connections = receivers.get(url.href);
    if (!connections) {
      connections = new ReceiverConnections(url, dial);
      receivers.set(url.href, connections);
    }
    return connections;
  }

  function closeIdle(): void {
    const nowMs = performance.now();
    for (const [url, connections] of receivers) {
      connections.closeIdle(nowMs);
      if (connections.isUnused) receivers.delete(url);
    }
  }

  return {
    post(url, headers, body, guard) {
      return new Promise((settle) => {
        const exchange = new Exchange(timeoutMs, settle, guard);
        const target = targetOf(url);
        if (!target) return exchange.breakOff(NOT_A_URL);
        if (closed || !exchange.isWanted()) return exchange.breakOff(ABORTED);
        const lines = headerLines({
          'content-type': 'application/json',
          'user-agent': userAgent,
          ...headers,
        });
        if (lines === undefined) return exchange.breakOff(BAD_HEADER);
        if (guard) guard.breakOff = () => exchange.breakOff(ABORTED);
        const length = Buffer.byteLength(body);
        connectionsTo(target).send(
          exchange,
          `${target.beginning}${lines}content-length: ${length}\r\n\r\n${body}`,
        );
      });
    },
    async close() {
      closed = true;
      clearInterval(closingIdle);
      for (const connections of receivers.values()) connections.close();
    },
  };
}

const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** Undefined if one of them could not be told from the next line. */
function headerLines(headers: Readonly<Record<string, string>>): string | undefined {
  let lines = '';
  for (const name in headers) {
    const value = headers[name] as string;
    if (!HEADER_VALUE.test(value)) return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
