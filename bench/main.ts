/**
 * `npm run bench`: measures each speed claim side by side with what it is compared with, in one run.
 * Arguments choose benches by the beginning of their names: `npm run bench -- overview`.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type Bench, isMet, type Line, Skipped } from './bench.ts';
import { deliveryBacklog } from './benches/delivery-backlog.ts';
import { deliveryDelay } from './benches/delivery-delay.ts';
import { deliverySingle } from './benches/delivery-single.ts';
import { deliveryStorm } from './benches/delivery-storm.ts';
import { deliveryTakeover } from './benches/delivery-takeover.ts';
import { deliveryEmbedded, deliveryPostgres } from './benches/delivery-throughput.ts';
import { deliveryTwoNodes } from './benches/delivery-two-nodes.ts';
import { forward } from './benches/forward.ts';
import { overviewDurable } from './benches/overview-durable.ts';
import { overviewMillionKeys } from './benches/overview-million-keys.ts';
import { overviewRedis } from './benches/overview-redis.ts';
import { overviewUnlimited } from './benches/overview-unlimited.ts';
import { pacer } from './benches/pacer.ts';
import { peers } from './benches/peers.ts';
import { pooler } from './benches/pooler.ts';
import { portal } from './benches/portal.ts';
import { reading } from './benches/reading.ts';
import { recordedCalls } from './benches/recorded-calls.ts';
import { verify } from './benches/verify.ts';
import { clearProgress, headed, written } from './report.ts';
import { openSessions, RESULTS } from './session.ts';

const benches: Bench[] = [
  overviewUnlimited,
  overviewDurable,
  forward,
  recordedCalls,
  portal,
  overviewMillionKeys,
  overviewRedis,
  deliveryEmbedded,
  deliveryPostgres,
  deliveryTwoNodes,
  pooler,
  deliverySingle,
  deliveryTakeover,
  deliveryBacklog,
  deliveryStorm,
  deliveryDelay,
  reading,
  pacer,
  verify,
  peers,
];

const wanted = process.argv.slice(2);
const chosen = benches.filter(
  ({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
);
if (chosen.length === 0) {
  console.error(`No such bench. There are: ${benches.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

const { sessionOf, undoAll } = await openSessions();
const lines: (Line & { bench: string; met: boolean })[] = [];
const failed: { bench: string; error: string }[] = [];
const skipped: { bench: string; reason: string }[] = [];
const seconds: Record<string, number> = {};
for (const bench of chosen) {
  console.log(headed(bench.name));
  const startedMs = performance.now();
  try {
    for (const line of await bench.run(sessionOf(bench.name))) {
      clearProgress();
      console.log(written(line));
      lines.push({ bench: bench.name, met: isMet(line), ...line });
    }
  } catch (error) {
    clearProgress();
    if (error instanceof Skipped) {
      console.log(`  skipped: ${error.message}`);
      skipped.push({ bench: bench.name, reason: error.message });
      continue;
    }
    console.error(`  failed: ${error instanceof Error ? error.message : error}`);
    failed.push({ bench: bench.name, error: String(error) });
  } finally {
    await undoAll();
    seconds[bench.name] = Math.round((performance.now() - startedMs) / 1_000);
    console.log(`  ${seconds[bench.name]} s`);
  }
}

const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
const report = { at: new Date().toISOString(), machine, lines, failed, skipped, seconds };
await writeFile(join(RESULTS, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
const below = lines.filter(({ met }) => !met).length;
const total = Object.values(seconds).reduce((sum, one) => sum + one, 0);
console.log(
  `\n${lines.length - below} ok, ${below} below the bar, ${failed.length} failed, ${skipped.length} skipped in ${Math.round(total / 60)} minutes`,
);
process.exitCode = below + failed.length > 0 ? 1 : 0;
