/**
 * Posts with Node's own HTTP client. The server has a client of its own instead, which also guards addresses and bounds
 * what a hostile receiver can cost.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Answered, Post, ToPost } from './exchange.ts';
import { explainError } from './explain-error.ts';
import {
  BAD_HEADER,
  type Failure,
  failureOf,
  HEAD_TOO_LONG,
  lateReply,
  NOT_HTTP,
  type ReceiverFailureTexts,
  receiverFailures,
} from './failures.ts';
import { failureWithoutTls, otherProtocol } from './other-protocol.ts';
import { EXCERPT_BYTES, READ_BYTES, ReplyExcerpt } from './reply-excerpt.ts';

/** For finding out why there was no reply. */
const EXPLAIN_NO_REPLY_MS = 1_000;

export function createNodePost({ userAgent = 'Bellhop' } = {}): Post {
  return async (request) => {
    const startedMs = performance.now();
    const outcome = await exchange(request, userAgent);
    const durationMs = performance.now() - startedMs;
    if ('status' in outcome) return { kind: 'answered', ...outcome, durationMs };
    const { fix }: ReceiverFailureTexts = receiverFailures[outcome.code];
    return { kind: 'failed', ...outcome, fix, durationMs };
  };
}

type Reply = Pick<Answered, 'status' | 'replyExcerpt'>;

async function exchange(to: ToPost, userAgent: string): Promise<Reply | Failure> {
  const outcome = await send(to, userAgent);
  if ('status' in outcome || outcome.code !== 'connection_reset' || !outcome.hadNoReply) {
    return outcome;
  }
  const { protocol, hostname, port } = new URL(to.url);
  if (protocol === 'https:') return outcome;
  return (await whyNoReply(hostname, Number(port) || 80)) ?? outcome;
}

type Unexplained = Failure & { hadNoReply?: boolean };

async function send(to: ToPost, userAgent: string): Promise<Reply | Unexplained> {
  const url = new URL(to.url);
  // Loaded only now: the server never needs them, and they bring another HTTP client along.
  const { request: post } =
    url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  if (to.signal?.aborted) return failureOf('aborted');
  return new Promise((settle) => {
    let request: ClientRequest;
    let reply: IncomingMessage | undefined;
    let isSent = false;
    const end = (outcome: Reply | Unexplained) => {
      clearTimeout(deadline);
      to.signal?.removeEventListener('abort', abort);
      request?.destroy();
      settle(outcome);
    };
    const abort = () => end(failureOf('aborted'));
    const deadline = setTimeout(() => {
      end(isSent ? lateReply(reply?.statusCode, to.timeoutMs) : failureOf('connect_timeout'));
    }, to.timeoutMs);
    to.signal?.addEventListener('abort', abort);
    try {
      request = post(url, optionsFor(to, userAgent));
    } catch {
      return end(BAD_HEADER);
    }
    request.once('socket', (socket) => {
      const isOpen = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(isOpen, () => {
        isSent = true;
      });
    });
    request.on('error', (error) => end(failureFrom(error, reply)));
    request.once('response', (response) => {
      reply = response;
      readReply(response, end);
    });
    request.end(to.body);
  });
}

function optionsFor({ headers, body }: ToPost, userAgent: string): RequestOptions {
  return {
    method: 'POST',
    // A connection for this request alone.
    agent: false,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...headers,
      'content-length': Buffer.byteLength(body),
    },
    ...{ ALPNProtocols: ['http/1.1'], minVersion: 'TLSv1.2' },
  };
}

function readReply(reply: IncomingMessage, end: (outcome: Reply | Unexplained) => void): void {
  const excerpt = new ReplyExcerpt(EXCERPT_BYTES);
  const done = () => end({ status: reply.statusCode ?? 0, replyExcerpt: excerpt.text() });
  reply.on('data', (chunk: Uint8Array) => {
    excerpt.add(chunk);
    if (excerpt.bytes > READ_BYTES) done();
  });
  reply.on('end', done);
  reply.on('error', () => end(failureOf('connection_reset')));
}

interface ParserError extends Error {
  code?: string;
  /** What Node's parser could not read. */
  rawPacket?: Uint8Array;
}

function failureFrom(error: ParserError, reply: IncomingMessage | undefined): Unexplained {
  const { code = '', rawPacket } = error;
  if (code === 'HPE_HEADER_OVERFLOW') return HEAD_TOO_LONG;
  if (code.startsWith('HPE_')) {
    if (reply) return failureOf('protocol');
    return (rawPacket && otherProtocol(rawPacket)) ?? NOT_HTTP;
  }
  return { ...explainError(error), hadNoReply: reply === undefined };
}

/** Many servers close the connection when they get plain HTTP instead of TLS. A handshake tells those from others. */
async function whyNoReply(hostname: string, port: number): Promise<Failure | undefined> {
  const { connect } = await import('node:tls');
  return new Promise((settle) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    // Nothing is sent over it, so it does not matter whose certificate it is.
    const socket = connect({ host, port, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false });
    const end = (failure: Failure | undefined) => {
      clearTimeout(deadline);
      socket.destroy();
      settle(failure);
    };
    const deadline = setTimeout(() => end(undefined), EXPLAIN_NO_REPLY_MS);
    socket.once('secureConnect', () => end(failureWithoutTls(null)));
    socket.on('error', (error) => end(failureWithoutTls(error)));
  });
}
