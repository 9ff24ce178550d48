/**
 * `npm run reading -- [embedded|PostgreSQL] [changes]`: reads each list with the filters that cost most, over and over,
 * then makes the largest changes, and tells how long the services thread was held and how long an event that was posted
 * meanwhile waited to be accepted. With "changes", it only makes the changes.
 */
import { join } from 'node:path';
import { engines } from '../growth/stocked-bellhop.ts';
import { startNode } from '../processes.ts';
import { clearProgress } from '../report.ts';
import { openSessions } from '../session.ts';
import { changes } from './changes.ts';
import { readings } from './requests.ts';
import { prepareMuch } from './stock.ts';
import { HEAD, tellChange, tellReading } from './table.ts';

const chosen = engines.filter(
  (engine) => !process.argv[2] || engine.toLowerCase() === process.argv[2].toLowerCase(),
);
const { sessionOf, undoAll } = await openSessions();
try {
  for (const engine of chosen) {
    const session = sessionOf(engine);
    const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
    const { start, midoffices, backlogged } = await prepareMuch(session, engine, receiver.ready);
    const probeFolder = await session.folder();
    const bellhop = await start({
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'probe.ts')}`,
      BENCH_PROBE_FOLDER: probeFolder,
    });
    const all = process.argv[3] === 'changes' ? [] : await readings(bellhop, midoffices);
    clearProgress();
    console.log(`${engine}, in ms\n`);
    console.log(HEAD);
    const idleMb = await bellhop.memoryMb();
    const measured = { bellhop, midoffices, probeFolder };
    for (const one of [undefined, ...all]) await tellReading(measured, one);
    for (const one of changes(engine, backlogged, probeFolder)) await tellChange(measured, one);
    console.log(
      `\nMemory: ${idleMb.toFixed(0)} MB before, ${(await bellhop.memoryMb()).toFixed(0)} MB after.`,
    );
    await undoAll();
  }
} finally {
  await undoAll();
}
