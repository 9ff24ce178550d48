/**
 * Opens a listener, and closes it so that requests in flight can finish. A connection that is idle may just have been
 * chosen for the next call, which would then meet a closed socket. So before it is closed, a listener retires: with each
 * reply it asks the caller to open another connection for the next call.
 */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type ListenOptions, Server, type Socket } from 'node:net';
import { ConfigError } from '../base/config/config.ts';
import { httpAddress, type ListenerSettings } from '../base/config/listeners.ts';

/** In-flight requests have this long to finish once the process is told to stop. */
const DRAIN_MS = 10_000;
/**
 * A proxy keeps idle connections for the next call, and needs a moment to notice that the listener is closed. It may use
 * them for this long.
 */
const PROXY_NOTICES_MS = 1_000;
const SWEEP_MS = 50;
/**
 * A turn of the event loop accepts one connection for each socket that listens. With a single socket, a busy
 * process, whose turns take 50 ms and more, accepted some 20 connections a second, and new callers waited for
 * up to 25 s. Linux spreads new connections over all sockets of a port.
 */
const SOCKETS = process.platform === 'linux' ? 32 : 1;
/** Connections that may wait to be accepted: at least 4,096, spread unevenly over the sockets. */
const BACKLOG = SOCKETS > 1 ? 512 : 4_096;

/** Of an address that this machine does not have, or cannot use. */
const WRONG_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENODEV']);

/** All that hand over a request. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const;

export interface Listening {
  address: string;
  /** Each reply from now on ends its connection. */
  retire(): void;
  /** Accepts no more connections; resolves when the requests in flight are answered or cut off. */
  drain(): Promise<void>;
}

/** Opens and closes every listener, so that what is wrong with them is known before anything else happens. */
export async function checkListeners(listeners: Iterable<ListenerSettings>): Promise<void> {
  for (const settings of listeners) {
    try {
      await closed(await opened(createServer(), { host: settings.host, port: settings.port }));
    } catch (error) {
      throw listenError(error as NodeJS.ErrnoException, settings);
    }
  }
}

export async function listen(server: HttpServer, settings: ListenerSettings): Promise<Listening> {
  const { host, port, tls, isProxied } = settings;
  const open: Server[] = [];
  const sockets = trackSockets(server);
  let chosen: number;
  try {
    // Sockets that share a port would also share it with another process, so that must fail first.
    if (port !== 0 && SOCKETS > 1) await closed(await opened(createServer(), { host, port }));
    const shared = { host, backlog: BACKLOG, reusePort: SOCKETS > 1 };
    open.push(await opened(server, { ...shared, port }));
    chosen = (server.address() as AddressInfo).port;
    while (open.length < SOCKETS) {
      open.push(await opened(anotherDoorTo(server), { ...shared, port: chosen }));
    }
  } catch (error) {
    await Promise.all(open.map(closed));
    throw listenError(error as NodeJS.ErrnoException, settings);
  }
  const address = httpAddress(host, chosen, tls !== undefined);
  return {
    address,
    retire: () => retire(server),
    drain() {
      retire(server);
      return drain(server, open, sockets, isProxied ? PROXY_NOTICES_MS : 0);
    },
  };
}

function retire(server: HttpServer): void {
  for (const event of REQUEST_EVENTS) {
    // An unknown event would be answered by nobody.
    if (server.listenerCount(event) > 0) server.prependListener(event, endConnection);
  }
}

function endConnection(_request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}

/** Over TLS, those that were accepted, and those that replies are written to. */
function trackSockets(server: HttpServer): Set<Socket> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', track);
  server.on('secureConnection', track);
  return sockets;
}

/** A sentence about the setting that is wrong: that of the port, or else that of the host. */
function listenError(
  error: NodeJS.ErrnoException,
  { host, port, variable }: ListenerSettings,
): Error {
  const { code } = error;
  if (code === 'EADDRINUSE') {
    return new ConfigError(
      `${variable}: port ${port} on ${host} is taken; choose another, or 0.`,
      'busy',
    );
  }
  if (code === 'EACCES') {
    return new ConfigError(
      `${variable}: Bellhop may not listen on port ${port} as this user; choose one from 1024 on.`,
    );
  }
  if (error.syscall === 'getaddrinfo') return badHost(`the name ${host} leads to no address`);
  if (code && WRONG_ADDRESS.has(code)) return badHost(`it cannot listen on ${host}`);
  return error;

  function badHost(why: string): ConfigError {
    return new ConfigError(`BELLHOP_HOST must be an address of this machine: ${why} (${code}).`);
  }
}

/** Its connections are the server's. The options are those that the server's own socket has. */
function anotherDoorTo(server: HttpServer): Server {
  const { allowHalfOpen } = server as HttpServer & { allowHalfOpen: boolean };
  return createServer({ allowHalfOpen, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  );
}

function opened(server: Server, options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/** Resolves once its connections are closed too. Not node:http's `close`, which also closes those that are idle. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => Server.prototype.close.call(server, () => resolve()));
}

async function drain(
  server: HttpServer,
  doors: readonly Server[],
  sockets: ReadonlySet<Socket>,
  idleMs: number,
): Promise<void> {
  const idleUntilMs = performance.now() + idleMs;
  const allClosed = Promise.all(doors.map(closed));
  const closeIdle = () => {
    if (performance.now() >= idleUntilMs) closeIdleConnections(server, sockets);
  };
  closeIdle();
  // A connection that is still replying when the listener closes becomes idle afterwards.
  const sweep = setInterval(closeIdle, SWEEP_MS);
  const cut = setTimeout(() => {
    server.closeAllConnections();
    // node:http knows a connection only after its handshake.
    for (const socket of sockets) socket.destroy();
  }, DRAIN_MS);
  await allClosed;
  clearInterval(sweep);
  clearTimeout(cut);
  // Ends the timer with which node:http checks its connections.
  server.close();
}

/** To node:http, a connection is idle once its reply was handed over, even if the caller has read only the beginning. */
function closeIdleConnections(server: HttpServer, sockets: ReadonlySet<Socket>): void {
  const sending = [...sockets].filter(({ writableLength }) => writableLength > 0);
  for (const socket of sending) socket.destroy = () => socket;
  server.closeIdleConnections();
  for (const socket of sending) Reflect.deleteProperty(socket, 'destroy');
}
