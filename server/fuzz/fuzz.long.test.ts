import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { CORPUS, readCorpus, saveFailing } from './corpus.ts';
import { checkAll, type Failure, fuzz } from './fuzz.ts';
import { type Opened, parser } from './target.ts';
import { targets } from './targets.ts';
import { createWorld } from './world.ts';

/** For all parsers together. `npm run fuzz` takes longer, and finds more. */
const ALL_MS = 5_000;
/** Set it to repeat a run. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

const world = createWorld();

beforeAll(() => console.log(`fuzzing with FUZZ_SEED=${seed}`));
afterAll(() => world.close());

function report({ input, error }: Failure): string {
  const cause = error instanceof Error ? error.stack : String(error);
  return `FUZZ_SEED=${seed}, input in base64: ${input.toString('base64')}\n${cause}`;
}

describe.each(targets.map((target) => [target.name, target] as const))('%s', (name, target) => {
  const corpus = readCorpus(name);
  let opened: Opened;
  beforeAll(async () => {
    opened = await target.open(world);
  });
  afterAll(() => opened?.close?.());

  test('keeps its promises on every input of the corpus', async () => {
    expect(corpus.length).toBeGreaterThan(0);
    const failure = await checkAll(
      opened,
      corpus.map(({ input }) => input),
    );
    expect(failure && report(failure)).toBeUndefined();
  });

  test('keeps its promises on mutations of the corpus', async () => {
    const durationMs = ALL_MS / targets.length;
    const { failure } = await fuzz(target, opened, { seed, durationMs, corpus });
    expect(failure && report(failure)).toBeUndefined();
  });
});

test('every folder of the corpus belongs to a parser', () => {
  const folders = readdirSync(CORPUS, { withFileTypes: true }).filter((one) => one.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(targets.map(({ name }) => name).sort());
});

describe('the fuzzer itself', () => {
  const corpus = [{ name: 'good', input: Buffer.from('name: value') }];
  const broken = parser('broken', {
    words: [],
    check(input) {
      if (input.includes('::')) throw new TypeError('two colons');
    },
  });

  test('finds a parser that throws, and a short input that makes it throw', async () => {
    const { failure } = await fuzz(broken, await broken.open(world), {
      seed,
      durationMs: 10_000,
      corpus,
    });
    expect(failure?.error).toEqual(new TypeError('two colons'));
    expect(failure?.input.toString()).toBe('::');
  });

  test('gives the same inputs for the same seed', async () => {
    const seen: string[][] = [[], []];
    for (const inputs of seen) {
      const watched = parser('watched', {
        words: ['word'],
        check(input) {
          inputs.push(input.toString('latin1'));
          if (inputs.length === 100) throw new Error('enough');
        },
      });
      await fuzz(watched, await watched.open(world), { seed: 7, durationMs: 10_000, corpus });
    }
    expect(seen[0]?.slice(0, 100)).toEqual(seen[1]?.slice(0, 100));
    expect(new Set(seen[0]).size).toBeGreaterThan(50);
  });

  test('finds a parser that takes too long', async () => {
    const slow = parser('slow', {
      words: [],
      check() {
        const before = process.threadCpuUsage();
        while (process.threadCpuUsage(before).user < 600_000);
      },
    });
    const failure = await checkAll(await slow.open(world), [Buffer.from('x')]);
    expect(String(failure?.error)).toMatch(/1 bytes took \d+ ms/);
  });

  test('saves a failing input for the next run', async () => {
    const folder = await temporaryFolder();
    const file = saveFailing('broken', Buffer.from('::'), folder);
    expect(existsSync(file)).toBe(true);
    expect(readCorpus('broken', folder).map(({ input }) => input.toString())).toEqual(['::']);
  });
});
