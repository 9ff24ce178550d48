/** A line for each request: how long the services thread was held, and how long events waited meanwhile. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bellhop } from '../bellhop.ts';
import { median } from '../bench.ts';
import type { Midoffices } from '../midoffices.ts';
import type { Change } from './changes.ts';
import { postDelaysMs, read, repeated } from './measure.ts';
import type { Reading } from './requests.ts';

const FOR_MS = 1_500;
/** After the reply to a change that goes on. */
const GOES_ON_MS = 15_000;
const PROBE_IS_LATE_MS = 150;

export const HEAD = `| request | duration | longest turn (CPU) | of that, GC | event accepted: median | longest |
|---|---|---|---|---|---|`;

export interface Measured {
  bellhop: Bellhop;
  midoffices: Midoffices;
  probeFolder: string;
}

export async function tellReading(measured: Measured, one?: Reading): Promise<void> {
  const { bellhop } = measured;
  if (one) await read(bellhop, one);
  const untilMs = performance.now() + FOR_MS;
  await tell(measured, one?.name ?? 'nobody reads', () =>
    one
      ? repeated(
          () => performance.now() < untilMs,
          () => read(bellhop, one),
        )
      : sleep(FOR_MS, [0]),
  );
}

export async function tellChange(measured: Measured, { name, run, goesOn }: Change): Promise<void> {
  let changed: number | undefined;
  await tell(
    measured,
    () => (changed === undefined ? name : `${name}: ${changed}`),
    async () => {
      const startedMs = performance.now();
      changed = await run(measured.bellhop);
      const tookMs = performance.now() - startedMs;
      if (goesOn) await sleep(GOES_ON_MS);
      return [tookMs];
    },
  );
}

/** Posts events for as long as it works. */
async function tell(
  { bellhop, midoffices, probeFolder }: Measured,
  name: string | (() => string),
  work: () => Promise<number[]>,
): Promise<void> {
  const sinceMs = Date.now();
  let isWorking = true;
  const [durations, waits] = await Promise.all([
    work().finally(() => {
      isWorking = false;
    }),
    postDelaysMs(bellhop, midoffices, () => isWorking),
  ]);
  const figures = [
    median(durations),
    ...(await longestTurn(probeFolder, sinceMs)),
    median(waits),
    Math.max(...waits),
  ];
  const cells = figures.map((figure) => figure.toFixed(1));
  console.log(`| ${typeof name === 'string' ? name : name()} | ${cells.join(' | ')} |`);
}

/** The longest since that time, in processor time of the services thread, and what the garbage collector took of it. */
async function longestTurn(probeFolder: string, sinceMs: number): Promise<[number, number]> {
  // What was written last is of the time before.
  await sleep(PROBE_IS_LATE_MS);
  const lines = (await readFile(join(probeFolder, 'turns'), 'utf8')).trim().split('\n');
  const turns = lines.map((line) => line.split(' ').map(Number) as [number, number, number]);
  // What was written first may have begun before.
  const [, , ...since] = turns.filter(([atMs]) => atMs > sinceMs);
  const [longest] = since.sort(([, one], [, other]) => other - one);
  return longest ? [longest[1], longest[2]] : [Number.NaN, Number.NaN];
}
