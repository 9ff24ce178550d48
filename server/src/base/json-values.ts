/** Counts the values of a JSON text before it is parsed, because parsing many small values costs far more per byte. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Counts an empty list or object as two. Of a text that is not JSON, it counts what looks like a value. */
export function hasMoreValuesThan(most: number, json: Buffer): boolean {
  let values = 1;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) i = endOfString(json, i + 1);
    else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      if (values > most) return true;
    }
  }
  return false;
}

/** The index of the quote that ends the string; the length if none does. `from` is the first byte of its text. */
function endOfString(json: Buffer, from: number): number {
  let end = json.indexOf(QUOTE, from);
  if (end < 0) return json.length;
  if (json[end - 1] !== BACKSLASH) return end;
  // Byte by byte, because a search for each of many escaped quotes would take ten times as long.
  for (end = from; end < json.length && json[end] !== QUOTE; end++) {
    if (json[end] === BACKSLASH) end++;
  }
  return Math.min(end, json.length);
}
