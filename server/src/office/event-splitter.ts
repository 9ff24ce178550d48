/**
 * Splits the JSON of a batch, `{"events":[…]}`, into the JSON of each event while it arrives. Parsed as a whole, a
 * batch of the greatest size would hold the thread for a quarter of a second and take five times its size in memory;
 * and one that is refused would have to be read to its end.
 *
 * It decides only where events begin and end. Whether each is JSON, and an event, is for others to check.
 */

/** An event of the greatest length, with every character escaped, has 46 KB. */
export const LONGEST_EVENT_BYTES = 65_536;

export type NotABatch =
  | 'not_a_batch'
  | 'not_an_object'
  | 'event_too_long'
  | 'too_many_values'
  | 'unfinished';

export class SplitError extends Error {
  readonly reason: NotABatch;

  constructor(reason: NotABatch) {
    super(reason);
    this.reason = reason;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Up to the first event; the name may be written with escapes. */
const BEGINNING =
  /^(?:\xef\xbb\xbf)?[ \t\r\n]*\{[ \t\r\n]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*\[/;

type Place = 'before the first' | 'before another' | 'inside' | 'behind' | 'after all' | 'end';

export class EventSplitter {
  #place: Place = 'before the first';
  #depth = 0;
  #values = 0;
  #isInString = false;
  #isEscaped = false;
  readonly #mostValues: number;
  /** The beginning of an event that continues in the next chunk. */
  #rest: Buffer[] = [];
  #restBytes = 0;

  /** An event with more values, its fields and itself, is refused: parsing them costs far more than their bytes. */
  constructor(mostValues: number) {
    this.#mostValues = mostValues;
  }

  /** Begins with the first part of the body, which must contain the beginning of the list. */
  *begin(first: Buffer): Generator<Buffer> {
    const head = BEGINNING.exec(first.toString('latin1', 0, LONGEST_EVENT_BYTES));
    if (!head || nameOf(head[1] as string) !== 'events') throw new SplitError('not_a_batch');
    yield* this.push(first.subarray(head[0].length));
  }

  /** The events that this chunk completes. */
  *push(chunk: Buffer): Generator<Buffer> {
    for (let i = 0; i < chunk.length; i++) {
      const start = i;
      if (this.#place !== 'inside') {
        const byte = chunk[i] as number;
        if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
        this.#place = this.#placeAfter(byte);
        if (this.#place !== 'inside') continue;
      }
      i = this.#endOfEvent(chunk, start);
      if (i === chunk.length) {
        this.#keep(chunk.subarray(start));
      } else {
        yield this.#eventOf(chunk.subarray(start, i + 1));
        this.#place = 'behind';
      }
    }
  }

  end(): void {
    if (this.#place !== 'end') throw new SplitError('unfinished');
  }

  #placeAfter(byte: number): Place {
    switch (this.#place) {
      case 'before the first':
        if (byte === CLOSE_LIST) return 'after all';
        return beginObject(byte);
      case 'before another':
        return beginObject(byte);
      case 'behind':
        if (byte === COMMA) return 'before another';
        if (byte === CLOSE_LIST) return 'after all';
        break;
      case 'after all':
        if (byte === CLOSE_OBJECT) return 'end';
    }
    throw new SplitError(this.#place === 'after all' ? 'not_a_batch' : 'unfinished');
  }

  /**
   * The index of the last byte of the event that continues at `from`; the length if it is not in this chunk. It works on
   * local variables, because it sees every byte: private fields took three times as long.
   */
  #endOfEvent(chunk: Buffer, from: number): number {
    let depth = this.#depth;
    let values = this.#values;
    let isInString = this.#isInString;
    let i = this.#isEscaped ? from + 1 : from;
    for (; i < chunk.length; i++) {
      const byte = chunk[i];
      if (isInString) {
        if (byte === BACKSLASH) i++;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === COMMA) values++;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth++;
        values++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth--;
        if (depth === 0) break;
      }
    }
    // The first value of all has neither a comma nor a bracket before it.
    if (values >= this.#mostValues) throw new SplitError('too_many_values');
    this.#depth = depth;
    this.#values = depth === 0 ? 0 : values;
    this.#isInString = isInString;
    // Past the end if the last byte is a backslash.
    this.#isEscaped = i > chunk.length;
    return Math.min(i, chunk.length);
  }

  #eventOf(last: Buffer): Buffer {
    this.#keep(last);
    const event = this.#rest.length === 1 ? last : Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    return event;
  }

  #keep(part: Buffer): void {
    this.#restBytes += part.length;
    if (this.#restBytes > LONGEST_EVENT_BYTES) throw new SplitError('event_too_long');
    this.#rest.push(part);
  }
}

function beginObject(byte: number): Place {
  if (byte !== OPEN_OBJECT) throw new SplitError('not_an_object');
  return 'inside';
}

/** Undefined if it is not a JSON string. */
function nameOf(json: string): string | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
