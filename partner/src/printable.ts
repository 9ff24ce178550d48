/**
 * Text from outside can hold anything. A terminal obeys control characters, and marks that change
 * the direction of writing could make a refused webhook look like a verified one.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
