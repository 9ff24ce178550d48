/** A random source that a seed determines, so that a run can be repeated. */
export interface Random {
  /** From 0 up to but not including `below`. */
  below(below: number): number;
  oneOf<T>(choices: readonly T[]): T;
}

/** mulberry32, which is small and good enough to choose mutations. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (bound: number) => Math.floor(next() * bound);
  return { below, oneOf: (choices) => choices[below(choices.length)] as (typeof choices)[number] };
}

/** Each target has a sequence of its own, whichever targets run before it. */
export function seedFor(seed: number, name: string): number {
  let mixed = seed >>> 0;
  for (const character of name) mixed = (Math.imul(mixed, 31) + character.charCodeAt(0)) >>> 0;
  return mixed;
}
