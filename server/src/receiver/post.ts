import type { Cidr } from '../base/addresses/addresses.ts';
import type { ProxyAddress } from '../base/config/values.ts';
import type { ClientIdentity } from './client-certificate.ts';
import { createConnector } from './connector.ts';
import { type Answered, Exchange, type Failed } from './exchange.ts';
import { ABORTED, BAD_HEADER, NOT_A_URL } from './failure.ts';
import { ReceiverConnections } from './receiver-connections.ts';
import { createResolver, type Resolve } from './resolve.ts';

/**
 * One POST to a receiver, which is assumed to be hostile. Its address is vetted when it is dialled, no
 * redirect is followed, nothing is repeated, one deadline covers everything from the lookup to the last
 * byte of the reply, and only the beginning of the reply is kept. It always resolves: a failure is an
 * outcome too.
 */
export interface Poster {
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    how?: HowToPost,
  ): Promise<Answered | Failed>;
  /** Closes every connection; attempts in flight fail with `aborted`. */
  close(): Promise<void>;
}

export interface HowToPost {
  guard?: Guard | undefined;
  /** The certificate that the receiver may ask for. */
  identity?: ClientIdentity | undefined;
  /** On no connection that has carried a request before. */
  onNewConnection?: boolean | undefined;
}

/** Lets the caller withdraw a POST. */
export interface Guard {
  /** Checked right before the request is written, which may be long after the call. */
  isWanted(): boolean;
  /** Called when the request is written. */
  onSent?(): void;
  /** Set by the poster: aborts the exchange at any stage. */
  breakOff?: () => void;
}

export interface PosterOptions {
  allow: readonly Cidr[];
  /** For the whole attempt. */
  timeoutMs: number;
  userAgent: string;
  /** Everything goes out through it, if there is one. */
  proxy?: ProxyAddress | undefined;
  resolve?: Resolve;
  /** Root certificates to trust instead of Node's; for tests. */
  ca?: string[];
}

const KEPT_TARGETS = 10_000;
/** How often to look for connections that have been idle for too long. */
const CLOSE_IDLE_EVERY_MS = 1_000;

interface Target {
  url: URL;
  /** The request line, and the headers that every request has, up to the value of `connection`. */
  beginning: string;
}

export function createPoster(options: PosterOptions): Poster {
  const { allow, timeoutMs, userAgent, proxy, ca } = options;
  const { resolve = createResolver() } = options;
  const dial = createConnector({ allow, resolve, timeoutMs, proxy, ca });
  const receivers = new Map<string, ReceiverConnections>();
  /** A cache: a midoffice's URL is the same on every attempt. */
  const targets = new Map<string, Target>();
  let closed = false;
  const closingIdle = setInterval(closeIdle, CLOSE_IDLE_EVERY_MS).unref();

  function targetOf(url: string): Target | undefined {
    const known = targets.get(url);
    if (known || !URL.canParse(url)) return known;
    const parsed = new URL(url);
    const beginning = `POST ${parsed.pathname}${parsed.search} HTTP/1.1\r\nhost: ${parsed.host}\r\nconnection: `;
    const target = { url: parsed, beginning };
    if (targets.size >= KEPT_TARGETS) targets.clear();
    targets.set(url, target);
    return target;
  }

  /** A receiver takes everything on a connection for the one who has shown a certificate at its beginning. */
  function connectionsTo({ url }: Target, identity: ClientIdentity | undefined) {
    const name = identity ? `${url.href} ${identity.id}` : url.href;
    let connections = receivers.get(name);
    if (!connections) {
      connections = new ReceiverConnections(url, dial, identity);
      receivers.set(name, connections);
    }
    return connections;
  }

  function closeIdle(): void {
    const nowMs = performance.now();
    for (const [name, connections] of receivers) {
      connections.closeIdle(nowMs);
      if (connections.isForgettable(nowMs)) receivers.delete(name);
    }
  }

  return {
    post(url, headers, body, { guard, identity, onNewConnection = false } = {}) {
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
        const connections = connectionsTo(target, identity);
        const persistence = connections.areReused ? 'keep-alive' : 'close';
        connections.send(
          exchange,
          `${target.beginning}${persistence}\r\n${lines}content-length: ${length}\r\n\r\n${body}`,
          onNewConnection,
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

/** Undefined if a value contains a line break, which could inject a header. */
function headerLines(headers: Readonly<Record<string, string>>): string | undefined {
  let lines = '';
  for (const name in headers) {
    const value = headers[name] as string;
    if (!HEADER_VALUE.test(value)) return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
