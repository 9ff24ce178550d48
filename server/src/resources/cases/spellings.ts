/**
 * Order ids that differ from what somebody typed only in the case of letters. No index ignores case, because it would
 * cost accepting every event more. Instead, this leaps through the index of order ids: from each id that it finds to the
 * first spelling that could follow.
 */
import type { Database } from '../../store/schema.ts';
import { orderIdFrom } from './queries.ts';

/** Each is a look at the index. Nearly always, two or three are enough. */
const MOST_LEAPS = 50;

export async function* spellingsInUse(db: Database, typed: string): AsyncGenerator<string> {
  const choices = [...typed].map(casesOf);
  let from = spellingAfter(choices, '');
  for (let leap = 0; leap < MOST_LEAPS && from !== undefined; leap++) {
    const found = await orderIdFrom(db, from);
    if (found === undefined) return;
    if (isSpelling(choices, found)) yield found;
    from = spellingAfter(choices, found);
  }
}

/** In the order of the bytes of UTF-8, as the databases compare. That of code points is the same. */
type Choices = readonly (readonly string[])[];

function casesOf(char: string): string[] {
  const cases = [char, char.toLowerCase(), char.toUpperCase()].filter(
    (one) => [...one].length === 1,
  );
  return [...new Set(cases)].sort(inOrder);
}

function inOrder(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}

function isSpelling(choices: Choices, text: string): boolean {
  const chars = [...text];
  return chars.length === choices.length && chars.every((char, n) => choices[n]?.includes(char));
}

/** The first spelling after a text; undefined if there is none. */
export function spellingAfter(choices: Choices, text: string): string | undefined {
  const chars = [...text];
  const isShared = (n: number) => choices[n]?.includes(chars[n] ?? '') ?? false;
  let shared = 0;
  while (shared < Math.min(chars.length, choices.length) && isShared(shared)) shared++;
  // The text is the beginning of each spelling that shares it.
  if (shared === chars.length && shared < choices.length) return filled(choices, text);
  for (let n = Math.min(shared, choices.length - 1); n >= 0; n--) {
    const higher = choices[n]?.find((one) => inOrder(one, chars[n] ?? '') > 0);
    if (higher !== undefined) return filled(choices, chars.slice(0, n).join('') + higher);
  }
  return undefined;
}

function filled(choices: Choices, beginning: string): string {
  const rest = choices.slice([...beginning].length).map(([first]) => first);
  return beginning + rest.join('');
}
