/** The beginning of a reply, collected as it arrives; the rest is counted and dropped. */
export class ReplyExcerpt {
  /** Of the whole reply so far. */
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
    // A copy: the chunk is a view into the socket's 64 KiB, which it would keep alive.
    this.#kept.push(Uint8Array.prototype.slice.call(part));
  }

  /** Bytes that are no text become U+FFFD, and so does NUL, which PostgreSQL won't store in text. */
  text(): string {
    if (this.#kept.length === 0) return '';
    const bytes = this.#kept.length === 1 ? this.#kept[0] : Buffer.concat(this.#kept);
    // `stream` leaves out a character that the cut has split.
    const text = new TextDecoder().decode(bytes, { stream: this.#room === 0 });
    return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
  }
}
