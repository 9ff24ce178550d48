/**
 * A parser of input that Bellhop does not control, and what it promises. A promise is more than "does
 * not crash": which errors it throws, what holds for everything it accepts, that pieces and the whole
 * give the same result.
 */
import type fc from 'fast-check';
import type { World } from './world.ts';

export interface Target {
  /** Also the name of its folder in the corpus. */
  name: string;
  /** Words of the format, which mutations insert. */
  words: readonly string[];
  /** Valid and nearly valid inputs, where random bytes would rarely get past the first check. */
  shapes?: fc.Arbitrary<string>;
  open(world: World): Opened | Promise<Opened>;
}

export interface Opened {
  /** Throws if the parser breaks a promise on this input. */
  check(input: Buffer): void | Promise<void>;
  /** How many checks may run at the same time; 1 by default. */
  parallel?: number;
  close?(): void;
}

/** For a parser that needs nothing but its input. */
export function parser(
  name: string,
  parts: Pick<Target, 'words' | 'shapes'> & { check: Opened['check'] },
): Target {
  const { check, ...rest } = parts;
  return { name, ...rest, open: () => ({ check }) };
}
