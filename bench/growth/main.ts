/**
 * `npm run growth -- [what] [--from N] [--up-to N] [--engine embedded]`: measures what things cost while one dimension
 * of the data grows tenfold at a time. Writes docs/scale/growth.json and, from it, growth.md and its plots.
 * Sizes that a run leaves out keep their earlier figures. `npm run growth -- document` only writes the page.
 */
import { parseArgs } from 'node:util';
import { startNode } from '../processes.ts';
import { clearProgress } from '../report.ts';
import { openSessions } from '../session.ts';
import { costsOf } from './costs.ts';
import { writeDocument } from './document.ts';
import { measureNodes } from './nodes.ts';
import { keep } from './record.ts';
import { dimensions } from './stock-size.ts';
import { type EngineName, engines, prepare } from './stocked-bellhop.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '0' },
    'up-to': { type: 'string', default: '1000000' },
    engine: { type: 'string' },
  },
});
const from = Number(values.from);
const upTo = Number(values['up-to']);
const chosen = (name: string) =>
  positionals.length === 0 || positionals.some((start) => name.startsWith(start));
const names = [...dimensions.map(({ name }) => name), 'nodes', 'document'];
const unknown = positionals.find((what) => !names.some((name) => name.startsWith(what)));
if (unknown !== undefined || !(upTo >= from)) {
  console.error(`Choose from: ${names.join(', ')}; --from and --up-to take numbers.`);
  process.exit(2);
}

const { sessionOf, undoAll } = await openSessions();
try {
  for (const dimension of dimensions.filter(({ name }) => chosen(name))) {
    for (const size of dimension.sizes.filter((one) => one >= from && one <= upTo)) {
      for (const engine of engines.filter(isWanted)) {
        const session = sessionOf(`${dimension.name} ${size.toLocaleString('en')} ${engine}`);
        const startedMs = performance.now();
        const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
        const stock = dimension.stock(size);
        const stocked = await prepare(session, engine, receiver.ready, stock);
        const costs = await costsOf(session, stocked, stock, dimension.measures);
        await keep({ dimension: dimension.name, engine, size, costs });
        await undoAll();
        tell(`${dimension.name} ${size.toLocaleString('en')}, ${engine}`, startedMs);
      }
    }
  }
  if (chosen('nodes')) {
    for (const nodes of [1, 2, 4]) {
      const startedMs = performance.now();
      const costs = await measureNodes(sessionOf(`${nodes} nodes`), nodes);
      await keep({ dimension: 'nodes', engine: 'PostgreSQL', size: nodes, costs });
      await undoAll();
      tell(`${nodes} nodes`, startedMs);
    }
  }
  await writeDocument();
} finally {
  await undoAll();
}

function isWanted(engine: EngineName): boolean {
  return (
    values.engine === undefined || engine.toLowerCase().startsWith(values.engine.toLowerCase())
  );
}

function tell(what: string, startedMs: number): void {
  clearProgress();
  console.log(`${what}: ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
}
