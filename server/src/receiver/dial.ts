/**
 * Opens a connection to a receiver: TCP, then TLS for https, within one deadline. undici has the same,
 * but loading it for this alone took 11 MB.
 */
import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import {
  type ConnectionOptions,
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { ClientIdentity } from './client-certificate.ts';
import type { FailureCode } from './failure-codes.ts';

/** Sessions kept for resumption, one per host: resuming one halves the cost of a handshake. */
const KEPT_SESSIONS = 100;
/** After this long without an answer, the host's next address is tried in parallel. */
const NEXT_ADDRESS_AFTER_MS = 250;
const KEEP_ALIVE_AFTER_MS = 60_000;
const MIN_VERSION = 'TLSv1.2';

export interface DialTarget {
  hostname: string;
  /** Empty for the protocol's default port. */
  port: string;
  protocol: string;
  /** For SNI and the certificate check; undefined for a literal address. */
  servername?: string;
  /** The certificate that the receiver may ask for. */
  identity?: ClientIdentity;
}

/** A connection that is being opened. */
export interface Dialled {
  /** Gives it up. */
  destroy(error: Error): void;
  /** What it means that it takes too long; `connect_timeout` if it says nothing. */
  readonly lateAs?: FailureCode;
}

/** The receiver's own address, even if a proxy is in between. */
export interface Peer {
  address: string | undefined;
  port: number | undefined;
}

/** Returns undefined if nothing is dialled. */
export type Dial = (
  target: DialTarget,
  callback: (...outcome: [Error, null, null] | [null, Socket, Peer]) => void,
) => Dialled | undefined;

/** Begins TLS on a connection that is there already, or on a new one. */
export type Secure = (target: DialTarget, on: ConnectionOptions) => TLSSocket;

export function portOf({ port, protocol }: DialTarget): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

export interface DialOptions {
  lookup: LookupFunction;
  timeoutMs: number;
  secure: Secure;
}

/** `ca`: roots to trust instead of Node's own; for tests. */
export function createSecure(ca?: string[] | undefined): Secure {
  const sessions = new Map<string, Buffer>();
  // Kept, because each connection would make its own, at 0.4 ms of processor time.
  const contexts = new WeakMap<object, SecureContext>();
  const anonymous = {};

  function contextOf(identity: ClientIdentity | undefined): SecureContext {
    let context = contexts.get(identity ?? anonymous);
    if (!context) {
      const { certificate: cert, private_key: key } = identity ?? {};
      context = createSecureContext({ cert, key, minVersion: MIN_VERSION, ca });
      contexts.set(identity ?? anonymous, context);
    }
    return context;
  }

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

  return ({ hostname, servername = '', identity }, on) => {
    // A resumed session is that of whoever has shown a certificate when it began.
    const host = `${servername || hostname} ${identity?.id ?? ''}`;
    const socket = connectTls({
      ...on,
      servername,
      session: sessions.get(host),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
      secureContext: contextOf(identity),
    });
    socket.on('session', (session) => keepSession(host, session));
    return socket;
  };
}

export function createDial({ lookup, timeoutMs, secure }: DialOptions): Dial {
  function connect(target: DialTarget): Socket {
    const where = {
      host: target.hostname,
      port: portOf(target),
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS,
      noDelay: true,
    };
    return target.protocol === 'https:' ? secure(target, where) : connectTcp(where);
  }

  return (target, callback) => {
    let socket: Socket;
    try {
      socket = connect(target);
    } catch (error) {
      // Another Node may refuse a certificate that this one accepted. Asynchronously, like every other answer.
      process.nextTick(callback, error as Error, null, null);
      return undefined;
    }
    let isDecided = false;
    const deadline = setTimeout(() => {
      // A connection or an error that is already here comes first.
      setImmediate(() => isDecided || socket.destroy(tooLate()));
    }, timeoutMs).unref();
    socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      isDecided = true;
      clearTimeout(deadline);
      callback(null, socket, { address: socket.remoteAddress, port: socket.remotePort });
    });
    socket.on('error', (error) => {
      if (isDecided) return;
      isDecided = true;
      clearTimeout(deadline);
      callback(timedOutIn(error) ?? error, null, null);
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
