/**
 * `npm run reading -- [embedded|PostgreSQL]`: reads each list with the filters that cost most, over and over, and tells
 * how long the services thread was held and how long an event that was posted meanwhile waited to be accepted.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bellhop } from '../bellhop.ts';
import { median } from '../bench.ts';
import { engines } from '../growth/stocked-bellhop.ts';
import type { Midoffices } from '../midoffices.ts';
import { startNode } from '../processes.ts';
import { clearProgress } from '../report.ts';
import { openSessions } from '../session.ts';
import { postDelaysMs, read, repeated } from './measure.ts';
import { type Reading, readings } from './requests.ts';
import { prepareMuch } from './stock.ts';

const FOR_MS = 1_500;

const chosen = engines.filter(
  (engine) => !process.argv[2] || engine.toLowerCase() === process.argv[2].toLowerCase(),
);
const { sessionOf, undoAll } = await openSessions();
try {
  for (const engine of chosen) {
    const session = sessionOf(engine);
    const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
    const { start, midoffices } = await prepareMuch(session, engine, receiver.ready);
    const probeFolder = await session.folder();
    const bellhop = await start({
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'probe.ts')}`,
      BENCH_PROBE_FOLDER: probeFolder,
    });
    const all = await readings(bellhop, midoffices);
    clearProgress();
    console.log(`${engine}, in ms\n`);
    console.log('| request | duration | longest turn (CPU) | event accepted: median | longest |');
    console.log('|---|---|---|---|---|');
    const idleMb = await bellhop.memoryMb();
    for (const one of [undefined, ...all]) await tell(bellhop, midoffices, probeFolder, one);
    console.log(
      `\nMemory: ${idleMb.toFixed(0)} MB before, ${(await bellhop.memoryMb()).toFixed(0)} MB after.`,
    );
    await undoAll();
  }
} finally {
  await undoAll();
}

async function tell(
  bellhop: Bellhop,
  midoffices: Midoffices,
  probeFolder: string,
  one?: Reading,
): Promise<void> {
  if (one) await read(bellhop, one);
  const sinceMs = Date.now();
  const untilMs = performance.now() + FOR_MS;
  const [durations, waits] = await Promise.all([
    one ? repeated(untilMs, () => read(bellhop, one)) : [0],
    postDelaysMs(bellhop, midoffices, untilMs),
  ]);
  const figures = [
    median(durations),
    await longestTurnMs(probeFolder, sinceMs),
    median(waits),
    Math.max(...waits),
  ];
  const cells = figures.map((figure) => figure.toFixed(1));
  console.log(`| ${one?.name ?? 'nobody reads'} | ${cells.join(' | ')} |`);
}

/** The longest since that time, in processor time of the services thread. */
async function longestTurnMs(probeFolder: string, sinceMs: number): Promise<number> {
  const lines = (await readFile(join(probeFolder, 'turns'), 'utf8')).trim().split('\n');
  const turns = lines.map((line) => line.split(' ').map(Number) as [number, number]);
  // What was written first may have begun before.
  const [, ...since] = turns.filter(([atMs]) => atMs > sinceMs);
  return Math.max(...since.map(([, turnMs]) => turnMs));
}
