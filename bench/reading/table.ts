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

/**
 * What a request costs comes again; a turn that is long only once may be the machine's: one that shares its cores with
 * other machines showed 42 ms of processor time in a loop that does nothing.
 */
const TOLD_TURNS = 3;

export const HEAD = `| request | duration | ${TOLD_TURNS} longest turns (CPU) | of the longest, GC | left out | event accepted: median | longest |
|---|---|---|---|---|---|---|`;

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
  const cells = [
    inMs(median(durations)),
    ...(await longestTurns(probeFolder, sinceMs)),
    inMs(median(waits)),
    inMs(Math.max(...waits)),
  ];
  console.log(`| ${typeof name === 'string' ? name : name()} | ${cells.join(' | ')} |`);
}

/**
 * Since that time, in processor time of the services thread; what the garbage collector took of the longest; and the share
 * of the time that is left out, because the machine's host took time away.
 */
async function longestTurns(probeFolder: string, sinceMs: number): Promise<string[]> {
  // What was written last is of the time before.
  await sleep(PROBE_IS_LATE_MS);
  const lines = (await readFile(join(probeFolder, 'turns'), 'utf8')).trim().split('\n');
  const turns = lines.map((line) => line.split(' ').map(Number) as Turn);
  // What was written first may have begun before.
  const [, , ...since] = turns.filter(([atMs]) => atMs > sinceMs);
  const kept = since.filter(([, , , stolenTicks]) => stolenTicks === 0);
  const longest = kept.sort(([, one], [, other]) => other - one).slice(0, TOLD_TURNS);
  return [
    longest.map(([, cpuMs]) => inMs(cpuMs)).join(', '),
    inMs(longest[0]?.[2] ?? Number.NaN),
    `${Math.round((1 - kept.length / since.length) * 100)} %`,
  ];
}

/** When it was written, processor time, collections of memory, and what the host took. */
type Turn = [atMs: number, cpuMs: number, gcMs: number, stolenTicks: number];

function inMs(figure: number): string {
  return figure.toFixed(1);
}
