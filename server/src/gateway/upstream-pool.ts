/** The connections to the upstream. */
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import type { Certificate } from '../listener/certificate.ts';
import { InterimReplies } from './interim-replies.ts';

const CONNECT_TIMEOUT_MS = 5_000;

export interface PoolOptions {
  connections: number;
  /** Between two parts of a reply. */
  bodyTimeoutMs: number;
  /** Shown to the upstream; undefined if it wants none. */
  certificate?: Certificate | undefined;
}

export function openUpstreamPool(origin: string, options: PoolOptions): Pool {
  const { certificate } = options;
  const newConnector = () =>
    buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, ...certificate?.pair });
  let connect = newConnector();
  certificate?.onChange(() => {
    connect = newConnector();
  });
  return new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: options.bodyTimeoutMs,
    // Replies keep the case and repetition of their headers, which HTTP/2 does not have.
    allowH2: false,
    factory: (to, clientOptions) =>
      new UpstreamClient(to, clientOptions, (...args) => connect(...args)),
  });
}

class UpstreamClient extends Client {
  readonly #interim: InterimReplies;

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    const interim = new InterimReplies();
    super(origin, {
      ...options,
      connect: (to, done) =>
        connect(to, (...[error, socket]) => {
          if (socket) interim.filter(socket);
          if (error) done(error, null);
          else done(null, socket);
        }),
    });
    this.#interim = interim;
  }

  /** The pool hands a client one request at a time. */
  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    this.#interim.expectReply();
    return super.dispatch(options, handler);
  }
}
