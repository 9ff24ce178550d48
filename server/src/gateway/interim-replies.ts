/**
 * An upstream may send interim replies (100 Continue, 103 Early Hints) before the final one, and RFC
 * 9110 section 15.2 requires every client to accept them. undici closes the connection on a 100, so
 * they are removed from what it reads. With one request at a time on a connection, a reply begins with
 * the first bytes after a request. The first head that is not interim is the final one, and nothing
 * after it is inspected.
 */
import type { Socket } from 'node:net';

/** Per call; nobody needs more than two or three. */
const MOST_INTERIM_REPLIES = 16;
const LARGEST_HEAD_BYTES = 16_384;
/** Up to the end of the status. */
const STATUS_BYTES = 'HTTP/1.1 100'.length;
const ONE = 0x31;

export class InterimReplies {
  #isExpecting = false;
  #dropped = 0;
  #held: Buffer | undefined;

  /** A request is about to be sent. */
  expectReply(): void {
    this.#isExpecting = true;
    this.#dropped = 0;
    this.#held = undefined;
  }

  /** Removes interim replies from what is read from this connection. */
  filter(socket: Socket): void {
    this.#held = undefined;
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      for (;;) {
        const bytes = read(size) as Buffer | null;
        if (bytes === null || !this.#isExpecting) return bytes;
        const rest = this.#withoutInterim(bytes, socket);
        if (rest || socket.destroyed) return rest ?? null;
      }
    };
  }

  /** Undefined while more bytes are needed to decide. */
  #withoutInterim(bytes: Buffer, socket: Socket): Buffer | undefined {
    let rest = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    this.#held = undefined;
    while (rest.length > 0) {
      if (!mayBeInterim(rest)) {
        this.#isExpecting = false;
        return rest;
      }
      const end = rest.length < STATUS_BYTES ? -1 : rest.indexOf('\r\n\r\n');
      if ((end === -1 ? rest.length : end + 4) > LARGEST_HEAD_BYTES) {
        socket.destroy(new Error('an endless interim reply'));
        return undefined;
      }
      if (end === -1) {
        this.#held = rest;
        return undefined;
      }
      this.#dropped++;
      if (this.#dropped > MOST_INTERIM_REPLIES) {
        socket.destroy(new Error('too many interim replies'));
        return undefined;
      }
      rest = rest.subarray(end + 4);
    }
    return undefined;
  }
}

function mayBeInterim(bytes: Buffer): boolean {
  if (bytes.length < STATUS_BYTES) return 'HTTP/1.'.startsWith(bytes.toString('latin1', 0, 7));
  if (bytes[STATUS_BYTES - 3] !== ONE) return false;
  // 101 is not interim: it ends HTTP on this connection, and undici refuses it.
  return /^HTTP\/1\.[01] 1(?!01)\d\d$/.test(bytes.toString('latin1', 0, STATUS_BYTES));
}
