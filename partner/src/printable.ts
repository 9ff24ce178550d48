/**
 * Text from outside can hold anything. A terminal obeys control characters, and marks that change
 * the direction of writing could make a refused webhook look like a verified one.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** Of several lines, such as CSV: their ends and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(/(?![\r\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** Of JSON, which stays the same JSON. `JSON.stringify` escapes only some of them. */
export function printableJson(json: string): string {
  return json.replace(/(?![\r\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
