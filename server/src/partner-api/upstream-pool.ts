/** The connections to the upstream. */
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { InterimReplies } from './interim-replies.ts';

const CONNECT_TIMEOUT_MS = 5_000;

export interface PoolOptions {
  connections: number;
  /** Between two parts of a reply. */
  bodyTimeoutMs: number;
}

export function openUpstreamPool(origin: string, options: PoolOptions): Pool {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  return new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: options.bodyTimeoutMs,
    // Replies keep the case and repetition of their headers, which HTTP/2 does not have.
    allowH2: false,
    factory: (to, clientOptions) => new UpstreamClient(to, clientOptions, connect),
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
