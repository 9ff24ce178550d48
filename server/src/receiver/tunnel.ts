/**
 * Dials receivers through a proxy (CONNECT, RFC 9110). The address is resolved and vetted here, and the proxy gets only
 * that address: it resolves no name, so it cannot be led elsewhere. The receiver's name is in TLS and in the request
 * inside the tunnel. The proxy is the operator's own, so it is dialled without the guard; its answers are still bounded.
 */
import { connect, isIPv6, type Socket } from 'node:net';
import type { ProxyAddress } from '../base/config/values.ts';
import { type Dial, type DialTarget, portOf, type Secure } from './dial.ts';
import type { FailureCode } from './failure-codes.ts';

/** Of the proxy's answer, which is one status line and a few headers. */
const MOST_HEAD_BYTES = 8_192;
const HEAD_END = '\r\n\r\n';
const HTTP = 'HTTP/1.';
const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |\r|$)/;

type ProxyFailure = 'proxy_unreachable' | 'proxy_refused' | 'proxy_protocol';

/** The way out failed, so that the receiver got nothing. */
export class ProxyFailed extends Error {
  readonly reason: ProxyFailure;
  /** Another address of the receiver may do. */
  readonly mayDoElsewhere: boolean;

  constructor(reason: ProxyFailure, message: string, mayDoElsewhere = false) {
    super(message);
    this.reason = reason;
    this.mayDoElsewhere = mayDoElsewhere;
  }
}

export interface TunnelParts {
  proxy: ProxyAddress;
  /** Resolves the receiver's name and vets every address. */
  addressesOf(target: DialTarget): Promise<readonly string[]>;
  secure: Secure;
}

export function createTunnelDial({ proxy, addressesOf, secure }: TunnelParts): Dial {
  return (target, callback) => {
    let isDecided = false;
    let current: Socket | undefined;
    const dialled = {
      lateAs: 'proxy_timeout' as FailureCode,
      destroy(error: Error) {
        fail(error);
      },
    };

    function fail(error: Error): void {
      current?.destroy();
      if (isDecided) return;
      isDecided = true;
      callback(error, null, null);
    }

    async function run(): Promise<void> {
      const addresses = await addressesOf(target);
      for (const [n, address] of addresses.entries()) {
        if (isDecided) return;
        try {
          const socket = await openTunnel(proxy, authorityOf(address, target), opening);
          await hand(socket, address);
          return;
        } catch (error) {
          const isLast = n === addresses.length - 1;
          if (isLast || !(error instanceof ProxyFailed) || !error.mayDoElsewhere) throw error;
        }
      }
    }

    function opening(socket: Socket): void {
      current = socket;
    }

    async function hand(tunnel: Socket, address: string): Promise<void> {
      const isTls = target.protocol === 'https:';
      if (isTls) dialled.lateAs = 'connect_timeout';
      const socket = isTls ? await secured(tunnel, target, secure, opening) : tunnel;
      if (isDecided) {
        socket.destroy();
        return;
      }
      isDecided = true;
      callback(null, socket, { address, port: portOf(target) });
      // It was paused at the end of the proxy's answer.
      socket.resume();
    }

    run().catch(fail);
    return dialled;
  };
}

function authorityOf(address: string, target: DialTarget): string {
  return `${isIPv6(address) ? `[${address}]` : address}:${portOf(target)}`;
}

function openTunnel(
  { host, port, authorization }: ProxyAddress,
  authority: string,
  opening: (socket: Socket) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, keepAlive: true });
    opening(socket);
    const credentials = authorization ? `Proxy-Authorization: ${authorization}\r\n` : '';
    socket.once('connect', () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`),
    );
    let head: Buffer = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const answered = readAnswer(head);
      if (answered === undefined) return;
      socket.off('data', read);
      socket.pause();
      if (answered === 'open') {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(answered);
    };
    socket.on('data', read);
    socket.on('error', ({ code }: NodeJS.ErrnoException) => reject(unreachable(code)));
    socket.on('close', () => reject(unreachable('closed')));
  });
}

/** Undefined until the answer is complete. */
function readAnswer(bytes: Buffer): 'open' | ProxyFailed | undefined {
  const beginning = bytes.toString('latin1', 0, HTTP.length);
  if (!HTTP.startsWith(beginning)) {
    return new ProxyFailed('proxy_protocol', 'The answer of our own proxy is not HTTP.');
  }
  const end = bytes.indexOf(HEAD_END);
  if (end > MOST_HEAD_BYTES || (end < 0 && bytes.length > MOST_HEAD_BYTES)) {
    return new ProxyFailed('proxy_protocol', 'The headers of our own proxy are too long.');
  }
  if (end < 0) return undefined;
  const status = Number(STATUS_LINE.exec(bytes.toString('latin1', 0, end))?.[1]);
  if (Number.isNaN(status)) {
    return new ProxyFailed('proxy_protocol', 'The answer of our own proxy is not valid HTTP.');
  }
  if (status < 200 || status > 299) return refused(status);
  if (bytes.length > end + HEAD_END.length) {
    // A receiver says nothing before it is asked.
    return new ProxyFailed('proxy_protocol', 'Our own proxy sent more than its answer.');
  }
  return 'open';
}

function refused(status: number): ProxyFailed {
  if (status === 407) {
    const message = 'Our own proxy does not accept our user and password (status 407).';
    return new ProxyFailed('proxy_refused', message);
  }
  if (status >= 500) {
    const message = `Our own proxy could not open the way to the receiver (status ${status}).`;
    return new ProxyFailed('proxy_refused', message, true);
  }
  const message = `Our own proxy refused to open the way to the receiver (status ${status}).`;
  return new ProxyFailed('proxy_refused', message);
}

function unreachable(code = 'unknown'): ProxyFailed {
  return new ProxyFailed('proxy_unreachable', `Our own proxy cannot be reached (${code}).`);
}

function secured(
  tunnel: Socket,
  target: DialTarget,
  secure: Secure,
  opening: (socket: Socket) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = secure(target, { socket: tunnel, host: target.hostname });
    opening(socket);
    socket.once('secureConnect', () => resolve(socket));
    socket.on('error', reject);
    socket.on('close', () => {
      tunnel.destroy();
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
  });
}
