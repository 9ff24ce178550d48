/**
 * Requests whose body comes in many small pieces. node:http makes a buffer and an event of every chunk, so a body in
 * chunks of one byte takes 400 bytes of memory and 6 µs for each byte, while limits and paces count bytes. Therefore
 * small pieces are joined, and the connections that send many of them take turns. What one read of 64 KiB has brought
 * can't be stopped, and takes up to 20 ms. So in each turn of the event loop, only one of them reads.
 *
 * Nobody has to send larger pieces: an encoder that writes every token is only slower while others do the same.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { linger } from './linger.ts';
import { http } from './node-http.ts';

/** Of a body that nobody reads, after the reply. */
const MOST_UNREAD_BYTES = 16 * 1_024 * 1_024;

/** The first pieces of a body are passed on as they come, so that an ordinary body is neither copied nor delayed. */
const PASSED_ON_PIECES = 16;
/** A smaller piece is joined with others. */
const SMALL_BYTES = 1_024;
/** Into so much. At the slowest pace that a sender may have, it is delayed for half a second. */
const JOINED_BYTES = 4_096;
/** After so many pieces, of any size, a connection waits for its turn. */
const PIECES_PER_TURN = 512;

/** One per listener. */
export function createRequests(clock: Clock): (socket: Socket) => IncomingMessage {
  const line = new Line();
  return (socket) => new RequestInPieces(socket, line, clock);
}

class RequestInPieces extends http.IncomingMessage {
  readonly #line: Line;
  readonly #clock: Clock;
  #pieces = 0;
  #isWaiting = false;
  /** Small pieces are copied to here. What is before `#from` has been passed on. */
  #joined: Buffer | undefined;
  #from = 0;
  #to = 0;

  constructor(socket: Socket, line: Line, clock: Clock) {
    super(socket);
    this.#line = line;
    this.#clock = clock;
  }

  /** False if the connection must not be read for now. */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#passOn();
      return super.push(null);
    }
    this.#pieces++;
    const hasRoom = this.#take(piece);
    if (this.#isWaiting || this.#pieces % PIECES_PER_TURN !== 0) return hasRoom;
    this.#isWaiting = true;
    this.#line.join(this);
    return false;
  }

  /** Whether there was something to go on with. */
  goOn(): boolean {
    this.#isWaiting = false;
    if (this.complete || this.socket.destroyed) return false;
    // Otherwise it is read when somebody has taken what is here.
    if (this.readableLength < this.readableHighWaterMark) this.socket.resume();
    return true;
  }

  override _read(size: number): void {
    if (!this.#isWaiting) super._read(size);
  }

  /** node:http calls this when a reply is sent whose request nobody has read, and would read on without a limit. */
  _dump(): void {
    if (this.complete) dump.call(this);
    else linger(this, MOST_UNREAD_BYTES, this.#clock, () => this.destroy());
  }

  #take(piece: Buffer): boolean {
    if (this.#pieces <= PASSED_ON_PIECES || piece.length >= SMALL_BYTES) {
      this.#passOn();
      return super.push(piece);
    }
    this.#joined ??= Buffer.allocUnsafe(JOINED_BYTES);
    this.#to += piece.copy(this.#joined, this.#to);
    if (this.#to + SMALL_BYTES <= JOINED_BYTES) return true;
    const hasRoom = this.#passOn();
    this.#joined = undefined;
    this.#from = 0;
    this.#to = 0;
    return hasRoom;
  }

  #passOn(): boolean {
    if (!this.#joined || this.#from === this.#to) return true;
    const joined = this.#joined.subarray(this.#from, this.#to);
    this.#from = this.#to;
    return super.push(joined);
  }
}

/** Not in the types: node:http calls it when a reply ends before its request was read. */
const { _dump: dump } = http.IncomingMessage.prototype as unknown as {
  _dump(this: IncomingMessage): void;
};

/** Lets one request go on in each turn of the event loop. */
class Line {
  readonly #waiting: RequestInPieces[] = [];

  join(request: RequestInPieces): void {
    if (this.#waiting.push(request) === 1) setImmediate(() => this.#next());
  }

  #next(): void {
    // One that is complete, or gone, needs no turn.
    while (this.#waiting.length > 0 && !this.#waiting.shift()?.goOn());
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }
}
