/**
 * Reads one HTTP/1.1 reply from a receiver that is assumed to be hostile. We wrote it ourselves because
 * libraries read all headers, trailers, chunk extensions and 1xx replies before we can object: a reply
 * with 256 KB of `a:b` lines cost undici's client 50 ms and more, and sixteen receivers that never stopped
 * sending them delayed everyone's webhooks for seconds. Here an exchange ends as soon as the reply
 * exceeds one of several small limits.
 *
 *     head ─→ (1xx: head again) ─→ body by length, by chunks, or until the connection ends ─→ done
 */
import {
  EXCERPT_BYTES,
  otherProtocol,
  READ_BYTES,
  ReplyExcerpt,
} from '@bellhop/partner/receiver-check';
import {
  BROKEN_REPLY,
  type Failure,
  HEAD_TOO_LONG,
  NOT_HTTP,
  RESET,
  TOO_MANY_HINTS,
} from './failure.ts';
import { type ReplyHead, readHead, statusAtTop } from './reply-head.ts';

/** For the head and all 1xx replies before it. */
const HEAD_BYTES = 16 * 1_024;
/** `100 Continue`, early hints and the like, before the final reply. */
const MOST_HINTS = 16;
/** A chunk's size in hexadecimal digits, with its extensions. */
const CHUNK_LINE_BYTES = 256;
const TRAILER_BYTES = 4 * 1_024;
/** Each chunk counts for this many extra bytes, because many tiny chunks are as much work. */
const CHUNK_COSTS_BYTES = 64;

const CRLF = '\r\n';
const BLANK_LINE = '\r\n\r\n';
const EMPTY: Buffer = Buffer.alloc(0);

/** Thrown by `read`: the exchange has failed, and the connection must be closed. */
export class BadReply {
  readonly failure: Failure;

  constructor(failure: Failure) {
    this.failure = failure;
  }
}

type State =
  | 'head'
  | 'length'
  | 'chunk-line'
  | 'chunk'
  | 'chunk-end'
  | 'trailer'
  | 'close'
  | 'done';

export class ReplyReader {
  #state: State = 'head';
  #head: ReplyHead | undefined;
  #excerpt = new ReplyExcerpt(EXCERPT_BYTES);
  /** Received, but incomplete, so it cannot be parsed yet. */
  #pending = EMPTY;
  /** As far as it has arrived, unless it could be read. */
  #openHead = EMPTY;
  #headBytes = 0;
  /** How much of `#pending` is known to contain no blank line. */
  #searched = 0;
  #hints = 0;
  /** The length of the body as sent, including chunk lines. */
  #bodyBytes = 0;
  /** How much of the body or of the chunk is still to come. */
  #left = 0;
  #leftover = false;

  /** Undefined until the status line has arrived; never that of a 1xx reply. */
  get status(): number | undefined {
    return this.#head?.status ?? statusAtTop(this.#openHead);
  }

  /** Not even a 1xx reply has begun. */
  get isEmpty(): boolean {
    return this.#headBytes === 0 && this.#openHead.length === 0;
  }

  get replyExcerpt(): string {
    return this.#excerpt.text();
  }

  /**
   * How long the connection may stay idle before the next request; 0 if it must be closed. It is closed
   * after a failure, so that late bytes cannot be mistaken for the next reply.
   */
  get idleMs(): number {
    const { status = 0 } = this;
    if (this.#state !== 'done' || this.#leftover || status < 200 || status > 299) return 0;
    return this.#head?.idleMs ?? 0;
  }

  /** Takes the bytes that have arrived; true once the reply, or enough of it, is complete. */
  read(chunk: Buffer): boolean {
    let rest = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = EMPTY;
    while (rest.length > 0 && this.#state !== 'done' && this.#bodyBytes <= READ_BYTES) {
      const isBody = this.#state !== 'head';
      const taken = this.#take(rest);
      if (isBody) this.#bodyBytes += taken;
      if (taken === 0) {
        this.#pending = rest;
        break;
      }
      rest = rest.subarray(taken);
    }
    this.#leftover = this.#state === 'done' && rest.length > 0;
    return this.#state === 'done' || this.#bodyBytes > READ_BYTES;
  }

  /** The receiver has closed the connection. Throws unless that marks the end of the reply. */
  end(): void {
    const isHead = this.#state === 'head';
    if (isHead && !beginsLikeHttp(this.#pending)) throw new BadReply(NOT_HTTP);
    if (this.#state !== 'close') throw new BadReply(RESET);
    this.#state = 'done';
  }

  /** Returns how many bytes it consumed; 0 if it needs more before it can continue. */
  #take(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#takeHead(bytes);
      case 'chunk-line':
        return this.#takeChunkLine(bytes);
      case 'chunk-end':
        return this.#takeChunkEnd(bytes);
      case 'trailer':
        return this.#takeTrailer(bytes);
      default:
        return this.#takeBody(bytes);
    }
  }

  #takeHead(bytes: Buffer): number {
    this.#openHead = bytes.subarray(0, HEAD_BYTES - this.#headBytes);
    const end = bytes.indexOf(BLANK_LINE, this.#searched);
    const length = end < 0 ? bytes.length : end + BLANK_LINE.length;
    const isTooLong = this.#headBytes + length > HEAD_BYTES;
    // First, so that the failure is the same however the bytes arrive.
    if ((end < 0 || isTooLong) && !beginsLikeHttp(bytes)) {
      const failure = otherProtocol(bytes);
      if (failure) throw new BadReply(failure);
    }
    if (isTooLong) throw new BadReply(HEAD_TOO_LONG);
    if (end < 0) {
      this.#searched = Math.max(0, bytes.length - BLANK_LINE.length + 1);
      return 0;
    }
    this.#searched = 0;
    this.#headBytes += length;
    const head = readHead(bytes.toString('latin1', 0, end));
    if ('code' in head)
      throw new BadReply(head === NOT_HTTP ? (otherProtocol(bytes) ?? head) : head);
    this.#openHead = EMPTY;
    if (head.status < 200) {
      // 101 without a request to switch protocols.
      if (head.status === 101) throw new BadReply(BROKEN_REPLY);
      if (++this.#hints > MOST_HINTS) throw new BadReply(TOO_MANY_HINTS);
      return length;
    }
    this.#head = head;
    this.#beginBody(head);
    return length;
  }

  #beginBody({ body }: ReplyHead): void {
    if (body === 'chunks') this.#state = 'chunk-line';
    else if (body === 'until close') this.#state = 'close';
    else if (body === 0) this.#state = 'done';
    else {
      this.#state = 'length';
      this.#left = body;
    }
  }

  #takeBody(bytes: Buffer): number {
    const part =
      this.#state === 'close' || bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#excerpt.add(part);
    if (this.#state === 'close') return part.length;
    this.#left -= part.length;
    if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'chunk-end' : 'done';
    return part.length;
  }

  #takeChunkLine(bytes: Buffer): number {
    const end = bytes.indexOf(CRLF);
    if (isBeyond(CHUNK_LINE_BYTES, end, bytes, CRLF)) throw new BadReply(BROKEN_REPLY);
    if (end < 0) return 0;
    const size = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?$/i.exec(
      bytes.toString('latin1', 0, end),
    )?.[1];
    if (size === undefined) throw new BadReply(BROKEN_REPLY);
    this.#bodyBytes += CHUNK_COSTS_BYTES;
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    return end + CRLF.length;
  }

  #takeChunkEnd(bytes: Buffer): number {
    if (bytes.length < CRLF.length) return 0;
    if (bytes.toString('latin1', 0, CRLF.length) !== CRLF) throw new BadReply(BROKEN_REPLY);
    this.#state = 'chunk-line';
    return CRLF.length;
  }

  /** Trailers are not needed; they are skipped to find where the next reply begins. */
  #takeTrailer(bytes: Buffer): number {
    if (bytes.length < CRLF.length) return 0;
    const isNone = bytes.toString('latin1', 0, CRLF.length) === CRLF;
    const end = isNone ? 0 : bytes.indexOf(BLANK_LINE);
    if (isBeyond(TRAILER_BYTES, end, bytes, BLANK_LINE)) throw new BadReply(BROKEN_REPLY);
    if (end < 0) return 0;
    this.#state = 'done';
    return isNone ? CRLF.length : end + BLANK_LINE.length;
  }
}

/** Whether what `mark` ends is too long, found or not. Part of the mark may have arrived already. */
function isBeyond(mostBytes: number, end: number, bytes: Buffer, mark: string): boolean {
  return end < 0 ? bytes.length >= mostBytes + mark.length : end > mostBytes;
}

/** As far as it has come. */
function beginsLikeHttp(bytes: Buffer): boolean {
  const beginning = bytes.toString('latin1', 0, 7);
  return 'HTTP/1.'.startsWith(beginning);
}
