/**
 * The other 42 endpoints: the call is streamed to the booking core and the core's reply streamed
 * back as it is. Never retried, since Bellhop cannot know what a second try would book. Memory per
 * call is bounded on both sides: whoever reads slowly slows the other end down.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { Clock, Timer } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Call } from './call.ts';
import { replyHeadersToPass, requestHeadersToPass } from './end-to-end-headers.ts';
import { Refusal } from './refusal.ts';
import { limitHeadersOf } from './reply.ts';
import { capped, hasBody, isArriving, linger, wholeBody } from './request-body.ts';

/** Calls in flight to the upstream from this process; more wait their turn. */
const UPSTREAM_CONNECTIONS = 512;
const CONNECT_TIMEOUT_MS = 5_000;
/** A whole reply up to this size goes out as text, in one piece with the head: 8 % less a call. */
const ONE_PIECE_BYTES = 16_384;

export type Forward = (call: Call) => Promise<void>;

export interface Forwarder {
  forward: Forward;
  close(): Promise<void>;
}

export interface Upstream {
  url: string;
  timeoutMs: number;
  environment: EnvironmentName;
  clock: Clock;
}

export function createForwarder(upstream: Upstream): Forwarder {
  const url = new URL(upstream.url);
  const prefix = url.pathname.replace(/\/$/, '');
  const pool = new Pool(url.origin, {
    connections: UPSTREAM_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: upstream.timeoutMs,
    // Headers come back as they were sent, repeated ones and their case too; HTTP/2 has no such.
    allowH2: false,
  });
  return {
    forward: (call) =>
      new Promise((resolve, reject) => {
        const passage = new Passage(call, upstream, resolve, reject);
        passage.withBody((body) =>
          pool.dispatch(
            {
              path: `${prefix}/${call.endpoint}${call.query}`,
              method: call.request.method as Dispatcher.HttpMethod,
              headers: headersFor(call, upstream.environment),
              body,
            },
            passage,
          ),
        );
      }),
    close: () => pool.destroy(),
  };
}

/** Stands in where no upstream is set. */
export const noUpstream: Forwarder = {
  forward: () => Promise.reject(new Refusal('upstreamNotConfigured')),
  close: () => Promise.resolve(),
};

function headersFor(call: Call, environment: EnvironmentName): string[] {
  const headers = requestHeadersToPass(call.request.rawHeaders, call.grant?.is_debug_mode === true);
  headers.push(
    'X-Bellhop-Key-Id',
    call.keyId as string,
    'X-Bellhop-Partner-Id',
    call.partnerId as string,
    'X-Bellhop-Environment',
    environment,
    'X-Request-Id',
    call.id,
    'Forwarded',
    forwardedBy(call),
  );
  return headers;
}

/** RFC 7239. A host that would need escaping is left out rather than escaped. */
function forwardedBy(call: Call): string {
  const from = call.address.includes(':') ? `"[${call.address}]"` : call.address;
  const host = call.request.headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host)
    ? `for=${from};host="${host}";proto=http`
    : `for=${from};proto=http`;
}

/**
 * One call on its way through: waiting → replying → done. It ends exactly once, by the reply's end,
 * by a Refusal while nothing has been sent yet, or by breaking the caller's connection off.
 */
class Passage implements Dispatcher.DispatchHandler {
  readonly #call: Call;
  readonly #upstream: Upstream;
  readonly #resolve: () => void;
  readonly #reject: (refusal: Refusal) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #patience: Timer | undefined;
  #announcedBytes = Number.NaN;
  #abortedFor: Refusal | 'caller gone' | undefined;

  constructor(call: Call, upstream: Upstream, resolve: () => void, reject: (r: Refusal) => void) {
    this.#call = call;
    this.#upstream = upstream;
    this.#resolve = resolve;
    this.#reject = reject;
    call.response.on('close', () => {
      if (!call.response.writableFinished) this.#abort('caller gone');
      this.#resolve();
    });
  }

  /**
   * The upstream's time runs from when it has the whole request: a slow caller is not its fault. A
   * small body mostly comes in one packet with the headers and is sent on like that: a stream for it
   * took as long as all the rest of the call.
   */
  withBody(send: (body: Buffer | Readable | null) => void): void {
    const { request } = this.#call;
    if (!hasBody(request)) {
      this.#startPatience();
      send(null);
      return;
    }
    this.#call.askForBody();
    request.once('end', () => this.#startPatience());
    setImmediate(() => {
      if (this.#abortedFor) return;
      const tooLarge = () => this.#abort(new Refusal('bodyTooLarge'));
      send(wholeBody(request) ?? capped(request, tooLarge));
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortedFor) controller.abort(new Error('given up while waiting'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    { 'content-length': length }: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.#announcedBytes = Number(length);
    this.#patience?.cancel();
    const { response } = this.#call;
    const headers = replyHeadersToPass(asStrings(controller.rawHeaders));
    headers.push('X-Request-Id', this.#call.id);
    headers.push(...limitHeadersOf(this.#call, this.#upstream.clock.now()));
    response.sendDate = false;
    response.writeHead(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { response } = this.#call;
    if (chunk.length === this.#announcedBytes && chunk.length <= ONE_PIECE_BYTES) {
      response.end(chunk.toString('latin1'), 'latin1');
      return;
    }
    if (response.write(chunk)) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    const { request, response } = this.#call;
    if (!response.writableEnded) response.end();
    // The upstream did not want the rest of the body: read past it, to where the next call begins.
    if (isArriving(request)) linger(request, this.#upstream.clock, () => request.destroy());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#patience?.cancel();
    if (this.#abortedFor === 'caller gone') {
      this.#resolve();
    } else if (this.#call.response.headersSent) {
      // The status is out; a reply cut short must not look like a whole one.
      this.#call.response.destroy();
      this.#resolve();
    } else {
      this.#reject(this.#abortedFor ?? refusalFor(error));
    }
  }

  #startPatience(): void {
    if (this.#call.response.headersSent) return;
    this.#patience = this.#upstream.clock.after(this.#upstream.timeoutMs, () =>
      this.#abort(new Refusal('upstreamTimeout')),
    );
  }

  #abort(reason: Refusal | 'caller gone'): void {
    this.#abortedFor ??= reason;
    if (this.#controller) this.#controller.abort(new Error('given up'));
    // Still waiting for a connection, perhaps for long: the caller need not.
    else if (reason !== 'caller gone') this.#reject(reason);
  }
}

function refusalFor(error: Error & { code?: string }): Refusal {
  return error.code === 'UND_ERR_HEADERS_TIMEOUT' || error.code === 'UND_ERR_BODY_TIMEOUT'
    ? new Refusal('upstreamTimeout')
    : new Refusal('upstreamUnreachable');
}

function asStrings(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}
