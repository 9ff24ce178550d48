/**
 * Redis's protocol, RESP 2, as far as Bellhop speaks it. A command is a list of strings; a reply is a string, a
 * whole number, nothing, an error, or a list of those.
 */

/** Far more than any reply that we ask for. What goes on and on is not Redis. */
export const LARGEST_REPLY_BYTES = 1024 * 1024;

/** Redis has understood and says no. */
export class RedisRefusal extends Error {
  /** Such as NOSCRIPT. */
  get code(): string {
    return this.message.split(' ', 1)[0] as string;
  }
}

export type SingleReply = string | number | null | RedisRefusal;
export type Reply = SingleReply | SingleReply[];

/** As a latin1 string: one character per byte. */
export function encodeCommand(args: readonly string[]): string {
  const text = encoded(args);
  if (Buffer.byteLength(text) === text.length) return text;
  return encoded(args.map((arg) => Buffer.from(arg).toString('latin1')));
}

function encoded(args: readonly string[]): string {
  let text = `*${args.length}\r\n`;
  for (const arg of args) text += `$${arg.length}\r\n${arg}\r\n`;
  return text;
}

const MINUS = 45;
const ZERO = 48;
/** The rest has not arrived yet. */
const INCOMPLETE = Symbol('incomplete');

/** Reads replies from what arrives, in whatever pieces. */
export class ReplyReader {
  #text = '';
  #at = 0;

  /** Hands over each reply that is complete now. Throws if this is not the protocol: nothing can be read after that. */
  read(piece: Buffer, take: (reply: Reply) => void): void {
    this.#text = this.#text.slice(this.#at) + piece.toString('latin1');
    this.#at = 0;
    while (this.#at < this.#text.length) {
      const start = this.#at;
      const reply = this.#reply();
      if (reply === INCOMPLETE) {
        this.#at = start;
        if (this.#text.length - start > LARGEST_REPLY_BYTES)
          throw new Error('its reply has no end');
        return;
      }
      take(reply);
    }
  }

  #reply(): Reply | typeof INCOMPLETE {
    if (this.#text[this.#at] !== '*') return this.#single();
    const length = this.#number();
    if (length === INCOMPLETE) return INCOMPLETE;
    if (length === -1) return null;
    if (length < 0) throw notRedis();
    const list: SingleReply[] = [];
    while (list.length < length) {
      const reply = this.#single();
      if (reply === INCOMPLETE) return INCOMPLETE;
      list.push(reply);
    }
    return list;
  }

  #single(): SingleReply | typeof INCOMPLETE {
    switch (this.#text[this.#at]) {
      case ':':
        return this.#number();
      case '$':
        return this.#string();
      case '+':
        return this.#line();
      case '-': {
        const line = this.#line();
        return line === INCOMPLETE ? INCOMPLETE : new RedisRefusal(line);
      }
      case undefined:
        return INCOMPLETE;
      default:
        throw notRedis();
    }
  }

  #string(): string | null | typeof INCOMPLETE {
    const length = this.#number();
    if (length === INCOMPLETE) return INCOMPLETE;
    if (length === -1) return null;
    const end = this.#at + length;
    if (length < 0 || length > LARGEST_REPLY_BYTES) throw notRedis();
    if (end + 2 > this.#text.length) return INCOMPLETE;
    if (!this.#text.startsWith('\r\n', end)) throw notRedis();
    const slice = this.#text.slice(this.#at, end);
    this.#at = end + 2;
    // A copy: V8's slice would keep everything that was read with it in memory, for as long as it is used.
    return Buffer.from(slice, 'latin1').toString('latin1');
  }

  /** Reads to the end of the line, behind the character that says what it is. */
  #line(): string | typeof INCOMPLETE {
    const end = this.#text.indexOf('\r\n', this.#at);
    if (end < 0) return INCOMPLETE;
    const line = this.#text.slice(this.#at + 1, end);
    this.#at = end + 2;
    return line;
  }

  /** The same for a number, without a slice: replies about limits are mostly numbers. */
  #number(): number | typeof INCOMPLETE {
    const text = this.#text;
    let at = this.#at + 1;
    const isNegative = text.charCodeAt(at) === MINUS;
    if (isNegative) at += 1;
    const first = at;
    let number = 0;
    for (; at < text.length; at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit >= 0 && digit <= 9) number = number * 10 + digit;
      else break;
    }
    if (at + 2 > text.length) return INCOMPLETE;
    if (at === first || !text.startsWith('\r\n', at)) throw notRedis();
    this.#at = at + 2;
    return isNegative ? -number : number;
  }
}

export function notRedis(): Error {
  return new Error('it does not speak the protocol of Redis');
}
