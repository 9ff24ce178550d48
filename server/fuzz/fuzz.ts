/**
 * Feeds a parser its corpus, mutations of the corpus and generated inputs until the time is up or a
 * promise is broken. A failing input is made as short as possible before it is reported.
 */
import fc from 'fast-check';
import type { Sample } from './corpus.ts';
import { mutate } from './mutation.ts';
import { createRandom, type Random, seedFor } from './random.ts';
import { shorten } from './shorten.ts';
import type { Opened, Target } from './target.ts';

/** One in so many inputs comes from the target's shapes, if it has any. */
const SHAPED_SHARE = 3;
const SHAPES_AT_ONCE = 200;
/** No input of 64 KiB may take more of the processor. Measured again, because a collection may interfere. */
const SLOW_MS = 500;

export interface FuzzOptions {
  seed: number;
  durationMs: number;
  corpus: readonly Sample[];
  /** Called with the inputs that are about to be checked, which a crash would otherwise take along. */
  onInputs?(inputs: readonly Buffer[]): void;
}

export interface Failure {
  input: Buffer;
  error: unknown;
}

export interface Outcome {
  inputs: number;
  failure?: Failure;
}

export async function fuzz(target: Target, opened: Opened, options: FuzzOptions): Promise<Outcome> {
  const { corpus, durationMs, seed } = options;
  const next = inputsOf(target, corpus, createRandom(seedFor(seed, target.name)));
  const endMs = performance.now() + durationMs;
  let inputs = 0;
  while (performance.now() < endMs) {
    const batch = Array.from({ length: opened.parallel ?? 1 }, next);
    options.onInputs?.(batch);
    const found = (await Promise.all(batch.map((input) => tryCheck(opened, input)))).find(Boolean);
    inputs += batch.length;
    if (!found) continue;
    const input = await shorten(
      found.input,
      async (shorter) => !!(await tryCheck(opened, shorter)),
    );
    const failure = (await tryCheck(opened, input)) ?? found;
    return { inputs, failure };
  }
  return { inputs };
}

/** Checks inputs as they are; undefined if all promises hold. */
export async function checkAll(
  opened: Opened,
  inputs: readonly Buffer[],
): Promise<Failure | undefined> {
  for (const input of inputs) {
    const failure = await tryCheck(opened, input);
    if (failure) return failure;
  }
  return undefined;
}

function inputsOf(target: Target, corpus: readonly Sample[], random: Random): () => Buffer {
  const samples = corpus.map(({ input }) => input);
  const words = target.words.map((word) => Buffer.from(word, 'latin1'));
  let shaped: string[] = [];
  function shape(arbitrary: fc.Arbitrary<string>): Buffer {
    if (shaped.length === 0) {
      shaped = fc.sample(arbitrary, { seed: random.below(2 ** 31), numRuns: SHAPES_AT_ONCE });
    }
    return Buffer.from(shaped.pop() as string);
  }
  return () => {
    const isShaped = target.shapes && random.below(SHAPED_SHARE) === 0;
    const input = isShaped
      ? shape(target.shapes as fc.Arbitrary<string>)
      : samples.length > 0
        ? random.oneOf(samples)
        : Buffer.alloc(0);
    // A generated input also counts as it is.
    if (isShaped && random.below(2) === 0) return input;
    return mutate(input, random, samples, words);
  };
}

async function tryCheck(opened: Opened, input: Buffer): Promise<Failure | undefined> {
  try {
    let tookMs = await timed(opened, input);
    // A parser that waits for the network is not slow.
    if (opened.parallel !== undefined) return undefined;
    for (let again = 0; again < 2 && tookMs > SLOW_MS; again++) {
      tookMs = Math.min(tookMs, await timed(opened, input));
    }
    if (tookMs <= SLOW_MS) return undefined;
    const error = new Error(`${input.length} bytes took ${Math.round(tookMs)} ms.`);
    return { input, error };
  } catch (error) {
    return { input, error };
  }
}

async function timed(opened: Opened, input: Buffer): Promise<number> {
  const before = process.threadCpuUsage();
  const checking = opened.check(Buffer.from(input));
  if (checking) await checking;
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
