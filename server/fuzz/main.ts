/**
 * `npm run fuzz -- --seconds 60 [parser …]`: longer runs than the tests have time for. Every failing
 * input is saved to the corpus, so that the tests check it from then on.
 */
import { parseArgs } from 'node:util';
import { readCorpus, saveFailing } from './corpus.ts';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';
import { createWorld } from './world.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const unknown = positionals.filter((name) => !targets.some((target) => target.name === name));
if (unknown.length > 0 || !(seconds > 0) || !Number.isSafeInteger(seed)) {
  console.error(
    `Usage: npm run fuzz -- [--seconds 60] [--seed 1] [parser …]\nParsers: ${targets.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}

let current = { name: '', inputs: [] as readonly Buffer[] };
process.on('uncaughtException', (error) => {
  console.error(`${current.name}: the process would have ended.`, error);
  for (const input of current.inputs) console.error(saveFailing(current.name, input));
  process.exit(1);
});

const world = createWorld();
console.log(`seed ${seed}, ${seconds} s for each parser`);
for (const target of targets) {
  if (positionals.length > 0 && !positionals.includes(target.name)) continue;
  const opened = await target.open(world);
  const { inputs, failure } = await fuzz(target, opened, {
    seed,
    durationMs: seconds * 1_000,
    corpus: readCorpus(target.name),
    onInputs: (batch) => {
      current = { name: target.name, inputs: batch };
    },
  });
  opened.close?.();
  console.log(`${target.name}: ${inputs} inputs, ${failure ? 'FAILED' : 'no failure'}`);
  if (!failure) continue;
  process.exitCode = 1;
  console.error(failure.error);
  console.error(`saved as ${saveFailing(target.name, failure.input)}`);
}
await world.close();
