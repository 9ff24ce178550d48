/**
 * Opens a connection to a receiver: TCP, then TLS for https, within one deadline. undici has the same,
 * but loading it for this alone took 11 MB.
 */
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Sessions kept for resumption, one per host: resuming one halves the cost of a handshake. */
const KEPT_SESSIONS = 100;
/** After this long without an answer, the host's next address is tried in parallel. */
const NEXT_ADDRESS_AFTER_MS = 250;
const KEEP_ALIVE_AFTER_MS = 60_000;

export interface DialTarget {
  hostname: string;
  /** Empty for the protocol's default port. */
  port: string;
  protocol: string;
  /** For SNI and the certificate check; undefined for a literal address. */
  servername?: string;
}

/** Returns the connecting socket, so that the caller can give it up; undefined if nothing is dialled. */
export type Dial = (
  target: DialTarget,
  callback: (...outcome: [Error, null] | [null, Socket]) => void,
) => Socket | undefined;

export interface DialOptions {
  lookup: LookupFunction;
  timeoutMs: number;
  /** Roots to trust instead of Node's own; for tests. */
  ca?: string[] | undefined;
}

export function createDial({ lookup, timeoutMs, ca }: DialOptions): Dial {
  const sessions = new Map<string, Buffer>();

  function keepSession(host: string, session: Buffer): void {
    // The newest last.
    sessions.delete(host);
    sessions.set(host, session);
    if (sessions.size <= KEPT_SESSIONS) return;
    for (const oldest of sessions.keys()) {
      sessions.delete(oldest);
      return;
    }
  }

  function connect({ hostname, port, protocol, servername = '' }: DialTarget): Socket {
    const isTls = protocol === 'https:';
    const where = {
      host: hostname,
      port: Number(port) || (isTls ? 443 : 80),
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS,
      noDelay: true,
    };
    if (!isTls) return connectTcp(where);
    const host = servername || hostname;
    const socket = connectTls({
      ...where,
      servername,
      session: sessions.get(host),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ca,
    });
    socket.on('session', (session) => keepSession(host, session));
    return socket;
  }

  return (target, callback) => {
    const socket = connect(target);
    let isDecided = false;
    const deadline = setTimeout(() => {
      // A connection or an error that is already here comes first.
      setImmediate(() => isDecided || socket.destroy(tooLate()));
    }, timeoutMs).unref();
    socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      isDecided = true;
      clearTimeout(deadline);
      callback(null, socket);
    });
    socket.on('error', (error) => {
      if (isDecided) return;
      isDecided = true;
      clearTimeout(deadline);
      callback(timedOutIn(error) ?? error, null);
    });
    return socket;
  };
}

function tooLate(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });
}

/** If a host has several addresses, Node reports all failures at once; the first one gives the code. */
function timedOutIn(error: Error): Error | undefined {
  if (!(error instanceof AggregateError)) return undefined;
  return error.errors.find((one) => one?.code === 'ETIMEDOUT');
}
