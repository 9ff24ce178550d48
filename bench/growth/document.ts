/** Writes docs/scale/growth.md and its plots from growth.json. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { svgPlot } from '../plot/plot.ts';
import { shortNumber } from '../plot/scale.ts';
import { figure, machine, table } from '../plot/tables.ts';
import { SCALE_DOCS } from '../scale-docs.ts';
import type { Cost } from './costs.ts';
import { explanationOf } from './explanations.ts';
import { type Growth, readGrowth } from './record.ts';
import { type Dimension, dimensions } from './stock-size.ts';
import { type EngineName, engines } from './stocked-bellhop.ts';

/** A page that never costs more than this is not worth a line, and one that grows by less may only scatter. */
const SMALL_MS = 5;
/** The largest size may cost this many times as much as a tenth of it and still count as flat. */
const FLAT = 1.6;
const MOST_IN_A_PLOT = 8;

type ShownDimension = Pick<Dimension, 'name' | 'title'>;

interface Line {
  name: string;
  unit: Cost['unit'];
  isPage: boolean;
  values: Map<number, number>;
}

export async function writeDocument(): Promise<void> {
  const growth = await readGrowth();
  for (const file of await readdir(SCALE_DOCS)) {
    if (/^growth-.*\.svg$/.test(file)) await rm(join(SCALE_DOCS, file));
  }
  const all: ShownDimension[] = [
    ...dimensions,
    { name: 'nodes', title: 'nodes on one PostgreSQL' },
  ];
  const parts: string[] = [];
  for (const dimension of all) parts.push(...(await partOf(growth, dimension)));
  await writeFile(
    join(SCALE_DOCS, 'growth.md'),
    [INTRODUCTION, ...(growth.note ? [`**${growth.note}**\n`] : []), ...parts].join('\n'),
  );
}

const INTRODUCTION = `# What happens when the data grows

\`npm run growth\` writes this page: \`npm run growth -- pending --up-to 1000000\` measures one dimension up to a size,
and leaves the other figures as they are. One thing grows tenfold at a time; everything else stays the same.

CPU time is that of Bellhop, and for pages also that of PostgreSQL. It depends less than the clock on what else the
machine does; the times on the clock are in [growth.json](growth.json) too. **last step** is how many times as much the
largest size costs as the one before it, which has a tenth of the data (half of the nodes): 1 is flat, 10 is linear.
More than ${FLAT} counts as growing and is marked with ⚠, for pages if it is more than ${SMALL_MS} ms. Pages whose cost
never exceeds ${SMALL_MS} ms of CPU are summed up in one line.

${machine()}
`;

async function partOf(growth: Growth, { name, title }: ShownDimension): Promise<string[]> {
  const parts: string[] = [];
  for (const engine of engines) {
    const lines = linesOf(growth, name, engine);
    if (lines.length === 0) continue;
    parts.push(`## ${capital(title)}, ${engine}\n`);
    const items = lines.filter(({ isPage }) => !isPage);
    const pages = lines.filter(({ isPage }) => isPage);
    parts.push(
      ...(await plotted(`${name}-${engine}`, `${capital(title)}, ${engine}`, title, lines)),
    );
    parts.push(`${tableOf(items, pages)}\n`);
    const explained = lines.filter((line) => isGrowing(line));
    for (const line of explained) {
      parts.push(`- *${line.name}* grows. ${explanationOf(line.name, name, engine)}`);
    }
    if (explained.length > 0) parts.push('');
  }
  return parts;
}

function linesOf(growth: Growth, dimension: string, engine: EngineName): Line[] {
  const lines = new Map<string, Line>();
  for (const { size, costs, ...about } of growth.measurements) {
    if (about.dimension !== dimension || about.engine !== engine) continue;
    for (const { name, unit, value, p50Ms } of costs) {
      const line = lines.get(name) ?? {
        name,
        unit,
        isPage: p50Ms !== undefined,
        values: new Map(),
      };
      line.values.set(size, value);
      lines.set(name, line);
    }
  }
  return [...lines.values()];
}

async function plotted(
  name: string,
  title: string,
  axis: string,
  lines: readonly Line[],
): Promise<string[]> {
  const x = { title: axis, scale: 'log' } as const;
  const points = ({ values }: Line) => [...values].map(([size, value]) => [size, value] as const);
  const drawn = {
    items: lines.filter(({ unit }) => unit === 'µs of CPU'),
    pages: lines
      .filter(({ isPage }) => isPage)
      .sort((a, b) => largest(b) - largest(a))
      .slice(0, MOST_IN_A_PLOT),
  };
  const pictures: string[] = [];
  for (const [kind, some] of Object.entries(drawn)) {
    if (some.length === 0) continue;
    const about = kind === 'items' ? 'each item' : 'the most expensive pages';
    const file = `growth-${name.toLowerCase()}-${kind}.svg`;
    const svg = svgPlot({
      title: `${title}: ${about}`,
      x,
      y: { title: kind === 'items' ? 'µs of CPU' : 'ms of CPU', scale: 'log' },
      series: some.map((line) => ({ name: line.name, points: points(line) })),
    });
    await writeFile(join(SCALE_DOCS, file), svg);
    pictures.push(`![${title}: ${about}](${file})\n`);
  }
  return pictures;
}

function tableOf(items: readonly Line[], pages: readonly Line[]): string {
  const sizes = [...new Set([...items, ...pages].flatMap(({ values }) => [...values.keys()]))].sort(
    (a, b) => a - b,
  );
  const shown = [...items, ...pages.filter((line) => isGrowing(line) || largest(line) > SMALL_MS)];
  const rest = pages.filter((line) => !shown.includes(line));
  const rows = shown.map((line) => [
    `${line.name} (${line.unit})`,
    ...sizes.map((size) => figure(line.values.get(size) ?? null)),
    `${figure(lastStep(line))}${isGrowing(line) ? ' ⚠' : ''}`,
  ]);
  if (rest.length > 0) {
    const highest = (size: number) => Math.max(...rest.map(({ values }) => values.get(size) ?? 0));
    rows.push([
      `the other ${rest.length} pages, at most (ms of CPU)`,
      ...sizes.map((size) => figure(highest(size))),
      '',
    ]);
  }
  return table(['', ...sizes.map(shortNumber), 'last step'], rows);
}

function lastTwo({ values }: Line): [before: number, last: number] | null {
  const inOrder = [...values].sort(([a], [b]) => a - b).map(([, value]) => value);
  const [before, last] = inOrder.slice(-2);
  return before === undefined || last === undefined ? null : [before, last];
}

function lastStep(line: Line): number | null {
  const two = lastTwo(line);
  return two && two[1] / two[0];
}

function isGrowing(line: Line): boolean {
  const [before, last] = lastTwo(line) ?? [0, 0];
  const isSmall = line.isPage ? last - before <= SMALL_MS : line.unit === 'ms';
  return !isSmall && last / before > FLAT;
}

function largest({ values }: Line): number {
  return Math.max(...values.values());
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
