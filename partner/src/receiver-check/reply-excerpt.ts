/**
 * What a terminal would obey, apart from tabs and line breaks, and what changes the direction of writing: a reply could
 * otherwise hide or rearrange what people read beside it. PostgreSQL could not store NUL either.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\p{Bidi_Control}]/gu;

/** How much of a reply is kept. */
export const EXCERPT_BYTES = 4 * 1_024;
/** A reply is read up to this length. Beyond it, the status decides: an endless 200 counts as delivered. */
export const READ_BYTES = 64 * 1_024;

/** Keeps the beginning of a reply as it arrives; the rest is counted and dropped. */
export class ReplyExcerpt {
  /** The length of the whole reply so far. */
  bytes = 0;
  #kept: Uint8Array[] = [];
  #room: number;

  constructor(maxBytes: number) {
    this.#room = maxBytes;
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    if (this.#room === 0) return;
    const part = chunk.length > this.#room ? chunk.subarray(0, this.#room) : chunk;
    this.#room -= part.length;
    // A copy, because the chunk is a view that keeps the socket's 64 KiB buffer alive.
    this.#kept.push(Uint8Array.prototype.slice.call(part));
  }

  /** Invalid UTF-8 is replaced with U+FFFD, and so are unsafe characters, wherever the text will be shown. */
  text(): string {
    if (this.#kept.length === 0) return '';
    const bytes = this.#kept.length === 1 ? this.#kept[0] : Buffer.concat(this.#kept);
    // `stream` drops a character that was cut in half.
    return new TextDecoder().decode(bytes, { stream: this.#room === 0 }).replace(UNSAFE, '\ufffd');
  }
}
