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

  /** Invalid UTF-8 is replaced with U+FFFD, and so is NUL, which PostgreSQL cannot store in text. */
  text(): string {
    if (this.#kept.length === 0) return '';
    const bytes = this.#kept.length === 1 ? this.#kept[0] : Buffer.concat(this.#kept);
    // `stream` drops a character that was cut in half.
    const text = new TextDecoder().decode(bytes, { stream: this.#room === 0 });
    return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
  }
}
