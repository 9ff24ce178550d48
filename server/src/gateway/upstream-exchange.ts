/**
 * One forwarded call: waiting → replying → done. It ends exactly once: with the end of the reply, with
 * a Refusal if nothing has been sent yet, or by closing the caller's connection.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock, Timer } from '../base/clock.ts';
import { hasBody, isArriving, linger } from '../listener/linger.ts';
import { watchReader, watchSender } from '../listener/pace.ts';
import type { Call } from './call.ts';
import type { UpstreamEnded } from './call-spans.ts';
import { replyHeadersToPass } from './end-to-end-headers.ts';
import type { ForwardLimits } from './forward-limits.ts';
import { Refusal } from './refusal.ts';
import { limitHeadersOf } from './reply.ts';
import {
  announcedLength,
  capped,
  collect,
  MOST_DISCARDED_BYTES,
  wholeBody,
} from './request-body.ts';
import type { Counted, Reserved } from './stages.ts';
import { sendWhole } from './whole-reply.ts';

/** A complete reply up to this size is sent as text, in one piece with the head: 8 % less time per call. */
const ONE_PIECE_BYTES = 16_384;

/** How long the head of a reply waits for the first byte of the body. */
const HEAD_HELD_MS = 100;

interface ExchangeParts {
  counted: Counted<Reserved>;
  /** Time for the upstream to start its reply. */
  timeoutMs: number;
  clock: Clock;
  limits: ForwardLimits;
  resolve: () => void;
  reject: (refusal: Refusal) => void;
  /** Undefined if the call is not traced. */
  ended: UpstreamEnded | undefined;
}

export class UpstreamExchange implements Dispatcher.DispatchHandler {
  readonly #parts: ExchangeParts;
  readonly #call: Call;
  #controller: Dispatcher.DispatchController | undefined;
  #upstreamDeadline: Timer | undefined;
  /** When it had the whole request. */
  #askedMs: number | undefined;
  #senderWatch: Timer | undefined;
  #readerWatch: Timer | undefined;
  #announcedBytes = Number.NaN;
  /** Of the reply, until they are sent. */
  #headers: string[] | undefined;
  #headHeld: Timer | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #status: number | undefined;
  #abortedFor: Refusal | 'caller gone' | undefined;

  constructor(parts: ExchangeParts) {
    const { call, slot } = parts.counted.stage;
    this.#parts = parts;
    this.#call = call;
    const { response } = call;
    response.on('close', () => {
      this.#senderWatch?.cancel();
      this.#readerWatch?.cancel();
      if (!response.writableFinished) this.#abort('caller gone');
      slot.release();
      parts.resolve();
    });
  }

  /**
   * The upstream's time starts when it has the whole request, because a slow caller is not its fault.
   * A small body usually arrives in one packet with the headers and is forwarded in one piece: a
   * stream took as long as the rest of the call. A small body that arrives later is buffered first, so
   * that a slow sender holds no connection to the upstream.
   */
  withBody(send: (body: Buffer | Readable | null) => void): void {
    const { request } = this.#call;
    if (!hasBody(request)) {
      this.#startUpstreamDeadline();
      send(null);
      return;
    }
    this.#call.askForBody();
    request.once('end', () => this.#startUpstreamDeadline());
    setImmediate(() => {
      if (this.#abortedFor) return;
      const whole = wholeBody(request);
      if (whole) send(whole);
      else this.#sendAsItComes(send);
    });
  }

  #sendAsItComes(send: (body: Buffer | Readable) => void): void {
    const { clock, limits } = this.#parts;
    const { request } = this.#call;
    const tooSlow = () => this.#abort(new Refusal('requestTimeout'));
    if (announcedLength(request) <= limits.wholeBodyBytes) {
      this.#senderWatch = watchSender(request, limits, clock, tooSlow);
      collect(request, (body) => {
        if (!this.#abortedFor) send(body);
      });
      return;
    }
    const body = capped(request, () => this.#abort(new Refusal('bodyTooLarge')));
    // The caller cannot send faster than the upstream reads, and the upstream has its own time-out.
    let heldUpMs = 0;
    this.#senderWatch = watchSender(request, limits, clock, tooSlow, () => {
      heldUpMs = body.writableNeedDrain ? heldUpMs + limits.paceMs : 0;
      if (heldUpMs >= this.#parts.timeoutMs) this.#abort(new Refusal('upstreamTimeout'));
      return heldUpMs > 0;
    });
    send(body);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortedFor) controller.abort(new Error('given up while waiting'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    { 'content-length': length, 'transfer-encoding': codings }: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#noteUpstream(status);
    this.#announcedBytes = Number(length);
    this.#upstreamDeadline?.cancel();
    // Any other coding of the transfer needs an offer (RFC 9110, 10.1.4). Without its name, which is only
    // for this hop, nobody could read what it encodes. Old servers say `identity`, which is none.
    if (codings !== undefined && !/^(chunked|identity)$/i.test(String(codings))) {
      this.#abort(new Refusal('upstreamUnreachable'));
      return;
    }
    const headers = replyHeadersToPass(asStrings(controller.rawHeaders));
    headers.push('X-Request-Id', this.#call.id);
    headers.push(...limitHeadersOf(this.#call, this.#parts.clock));
    this.#headers = headers;
    // Usually the body is in the same packet, and has been passed on by then.
    process.nextTick(() => {
      if (this.#headers) this.#holdHead(controller);
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (chunk.length === this.#announcedBytes && chunk.length <= ONE_PIECE_BYTES) {
      this.#sendWhole(chunk.toString('latin1'));
      return;
    }
    if (this.#headers) this.#hold(controller, chunk);
    else this.#pass(controller, chunk);
  }

  /** The upstream may hang up in place of a body, and the caller can still be refused. But a slow body delays no head. */
  #holdHead(controller: Dispatcher.DispatchController): void {
    this.#headHeld = this.#parts.clock.after(HEAD_HELD_MS, () => {
      // What has arrived meanwhile is read first.
      setImmediate(setImmediate, () => {
        if (!this.#headers) return;
        this.#release(controller);
        this.#call.response.flushHeaders();
      });
    });
  }

  /**
   * What arrived with the first piece may not be valid. undici closes the connection then, which is told at the
   * end of this turn, and the caller can still be refused. So the piece is held until the next turn.
   */
  #hold(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#held.length === 0) setImmediate(setImmediate, () => this.#release(controller));
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > this.#parts.limits.readAheadBytes) this.#release(controller);
  }

  #release(controller: Dispatcher.DispatchController): void {
    this.#begin();
    for (const chunk of this.#held.splice(0)) this.#pass(controller, chunk);
  }

  /** undici's parser accepts only headers that node:http would, and those about the connection are left out. */
  #sendWhole(body: string): void {
    const headers = this.#takeHeaders();
    if (headers) sendWhole(this.#call.response, this.#status as number, headers, body);
    else this.#call.response.end(body, 'latin1');
  }

  #begin(): void {
    const headers = this.#takeHeaders();
    if (headers) this.#call.response.writeHead(this.#status as number, headers);
  }

  /** Undefined if they have been sent. */
  #takeHeaders(): string[] | undefined {
    const headers = this.#headers;
    if (!headers) return undefined;
    this.#headHeld?.cancel();
    this.#headers = undefined;
    this.#call.response.sendDate = false;
    return headers;
  }

  #pass(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { response } = this.#call;
    if (response.write(chunk)) return;
    this.#watchReader();
    if (response.writableLength <= this.#parts.limits.readAheadBytes) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    const { request, response } = this.#call;
    this.#release(controller);
    this.#parts.ended?.(this.#status, undefined);
    if (!response.writableEnded) response.end();
    if (response.writableLength > 0) this.#watchReader();
    this.#parts.counted.stage.slot.release();
    // The upstream did not read the rest of the body: skip it, up to where the next call begins.
    if (isArriving(request))
      linger(request, MOST_DISCARDED_BYTES, this.#parts.clock, () => request.destroy());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#status === undefined) this.#noteUpstream(undefined);
    this.#upstreamDeadline?.cancel();
    this.#headHeld?.cancel();
    this.#headers = undefined;
    this.#held = [];
    this.#parts.counted.stage.slot.release();
    const { resolve, reject, ended } = this.#parts;
    if (this.#abortedFor === 'caller gone') {
      ended?.(this.#status, undefined);
      resolve();
    } else if (this.#call.response.headersSent) {
      // The status has been sent; a truncated reply must not look complete.
      this.#call.response.destroy();
      this.#call.upstreamBrokeOff = true;
      ended?.(undefined, undefined);
      resolve();
    } else {
      this.#senderWatch?.cancel();
      const refusal = this.#abortedFor ?? refusalFor(error);
      ended?.(undefined, refusal);
      reject(refusal);
    }
  }

  #noteUpstream(status: number | undefined): void {
    this.#call.upstreamStatus = status;
    if (this.#askedMs !== undefined) {
      this.#call.upstreamMs = this.#parts.clock.monotonic() - this.#askedMs;
    }
  }

  #startUpstreamDeadline(): void {
    if (this.#status !== undefined || this.#abortedFor) return;
    this.#askedMs = this.#parts.clock.monotonic();
    this.#upstreamDeadline = this.#parts.clock.after(this.#parts.timeoutMs, () =>
      this.#abort(new Refusal('upstreamTimeout')),
    );
  }

  /** From the first byte that the caller's connection does not accept until it has accepted all of them. */
  #watchReader(): void {
    if (this.#readerWatch) return;
    const { clock, limits } = this.#parts;
    const { response } = this.#call;
    this.#readerWatch = watchReader(response, limits.readerMs, clock, () => response.destroy());
    response.once('drain', () => {
      this.#readerWatch?.cancel();
      this.#readerWatch = undefined;
    });
  }

  #abort(reason: Refusal | 'caller gone'): void {
    this.#abortedFor ??= reason;
    if (this.#controller) this.#controller.abort(new Error('given up'));
    // It still waits for its body or a connection, perhaps for long: answer the caller now.
    else if (reason !== 'caller gone') this.#parts.reject(reason);
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
