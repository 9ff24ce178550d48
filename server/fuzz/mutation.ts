/** Changes an input a little, in the ways in which parsers are usually wrong. */
import type { Random } from './random.ts';

const LONGEST_INPUT_BYTES = 65_536;
const MOST_STEPS = 6;
/** Bytes that end something in one format or another, and the borders of ASCII, UTF-8 and bytes. */
const BYTES = [0, 9, 10, 13, 32, 34, 37, 44, 45, 46, 47, 48, 58, 59, 61, 64, 91, 92, 93, 123, 125]
  .concat([0x7f, 0x80, 0xbf, 0xc0, 0xed, 0xf4, 0xff])
  .map((byte) => Buffer.of(byte));
const NUMBERS = ['0', '-1', '00', '1', '255', '256', '65535', '65536', '2147483648', '4294967296']
  .concat(['9007199254740993', '1e9', '0x10', 'NaN', '1.5', '99999999999999999999'])
  .map((text) => Buffer.from(text));

type Step = (input: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

export function mutate(
  input: Buffer,
  random: Random,
  others: readonly Buffer[],
  words: readonly Buffer[],
): Buffer {
  const insertWord: Step = (bytes, source) =>
    insert(bytes, source.below(bytes.length + 1), source.oneOf(words.length > 0 ? words : BYTES));
  const steps = [...STEPS, insertWord, insertWord];
  let mutated = input;
  for (let left = 1 + random.below(MOST_STEPS); left > 0; left--) {
    mutated = random.oneOf(steps)(mutated, random, others).subarray(0, LONGEST_INPUT_BYTES);
  }
  return mutated;
}

const STEPS: readonly Step[] = [
  function flipBit(input, random) {
    if (input.length === 0) return input;
    const changed = Buffer.from(input);
    const at = random.below(changed.length);
    changed[at] = (changed[at] as number) ^ (1 << random.below(8));
    return changed;
  },
  function insertByte(input, random) {
    return insert(input, random.below(input.length + 1), random.oneOf(BYTES));
  },
  function replaceByte(input, random) {
    const at = random.below(input.length + 1);
    return Buffer.concat([input.subarray(0, at), random.oneOf(BYTES), input.subarray(at + 1)]);
  },
  function remove(input, random) {
    const { from, to } = range(input, random);
    return Buffer.concat([input.subarray(0, from), input.subarray(to)]);
  },
  function repeat(input, random) {
    const { from, to } = range(input, random);
    const times = random.oneOf([1, 1, 2, 16, 300]);
    const part = input.subarray(from, Math.min(to, from + 256));
    return insert(input, to, Buffer.concat(Array.from({ length: times }, () => part)));
  },
  function cutShort(input, random) {
    return input.subarray(0, random.below(input.length + 1));
  },
  function splice(input, random, others) {
    const other = random.oneOf(others.length > 0 ? others : [input]);
    return Buffer.concat([
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ]);
  },
  function replaceNumber(input, random) {
    const numbers = [...input.toString('latin1').matchAll(/\d+/g)];
    if (numbers.length === 0) return input;
    const { index, 0: digits } = random.oneOf(numbers);
    const rest = input.subarray(index + digits.length);
    return Buffer.concat([input.subarray(0, index), random.oneOf(NUMBERS), rest]);
  },
  function changeCase(input, random) {
    const { from, to } = range(input, random);
    const text = input.toString('latin1', from, to);
    const changed = random.below(2) === 0 ? text.toUpperCase() : text.toLowerCase();
    return Buffer.concat([
      input.subarray(0, from),
      Buffer.from(changed, 'latin1'),
      input.subarray(to),
    ]);
  },
];

function insert(input: Buffer, at: number, part: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), part, input.subarray(at)]);
}

function range(input: Buffer, random: Random): { from: number; to: number } {
  const from = random.below(input.length + 1);
  return { from, to: from + random.below(Math.min(input.length - from, 64) + 1) };
}
