/** Writes docs/scale/soak.md and its plots from the latest run of each setup. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Look, Setup } from '../load/under-load.ts';
import { type Plot, svgPlot } from '../plot/plot.ts';
import { figure, machine, table } from '../plot/tables.ts';
import { SCALE_DOCS } from '../scale-docs.ts';
import { type Trend, trendOf } from './verdict.ts';

const FILE = join(SCALE_DOCS, 'soak.json');

export interface Sample extends Look {
  atSeconds: number;
  events: number;
  eventP50Ms: number | null;
  eventP99Ms: number | null;
  partnerP50Ms: number | null;
  partnerP99Ms: number | null;
  pageP99Ms: number | null;
  /** Requests that were refused or failed: at half of the capacity there is no reason for any. */
  failed: number;
}

export interface Soak {
  setup: Setup;
  at: string;
  /** Otherwise the other setup ran at the same time. */
  isAlone: boolean;
  capacity: number;
  share: number;
  /** A second. */
  partnerCalls: number;
  samples: Sample[];
}

/** What may not grow, with the drift that is allowed at least. */
const STEADY: Record<string, { of(sample: Sample): number; least: number; unit: string }> = {
  'resident memory': { of: ({ rssMb }) => rssMb, least: 30, unit: 'MB' },
  'heap after a full collection': { of: ({ heapMb }) => heapMb, least: 15, unit: 'MB' },
  handles: { of: ({ handles }) => handles, least: 20, unit: '' },
};

export function trendsOf({ samples }: Soak): Record<string, Trend> {
  return Object.fromEntries(
    Object.entries(STEADY).map(([name, { of, least }]) => [name, trendOf(samples.map(of), least)]),
  );
}

async function readAll(): Promise<Soak[]> {
  return JSON.parse(await readFile(FILE, 'utf8').catch(() => '[]')) as Soak[];
}

export async function keep(run: Soak): Promise<void> {
  const others = (await readAll()).filter(({ setup }) => setup !== run.setup);
  const all = [...others, run].sort((a, b) => b.setup.localeCompare(a.setup));
  await writeFile(FILE, `${JSON.stringify(all)}\n`);
}

export async function writeDocument(): Promise<void> {
  const runs = await readAll();
  for (const run of runs) {
    for (const [name, plot] of Object.entries(plotsOf(run))) {
      await writeFile(join(SCALE_DOCS, `soak-${slug(run)}-${name}.svg`), svgPlot(plot));
    }
  }
  await writeFile(join(SCALE_DOCS, 'soak.md'), `${INTRODUCTION}\n${runs.map(part).join('\n')}`);
}

const INTRODUCTION = `# Hours under load

\`npm run soak\` writes this page. Order events come in at half of the rate that Bellhop can accept and deliver; two setups at
the same time get a quarter each, so that the machine is half busy. A partner calls \`overview/\` with a limited,
journaled key, and support loads two pages a second. The database grows with its data; nothing else may grow.

A figure grows if the straight line through the second half of its samples rises by more than a tenth of their mean, or
by more than a least amount (30 MB resident, 15 MB of heap, 20 handles) where that is larger. Then the command exits 1,
as it does if any request is refused or fails.

Load, receiver, database and Bellhop share the machine's processor. ${machine()}
`;

function part(run: Soak): string {
  const { setup, at, isAlone, capacity, share, partnerCalls, samples } = run;
  const trends = trendsOf(run);
  const minutes = (samples.at(-1)?.atSeconds ?? 0) / 60;
  const failed = samples.reduce((sum, sample) => sum + sample.failed, 0);
  const rows = Object.entries(STEADY).map(([name, { of, unit }]) => {
    const trend = trends[name] as Trend;
    const [first, last] = [samples[0], samples.at(-1)].map((one) => (one ? of(one) : null));
    return [
      `${name}${unit && ` (${unit})`}`,
      figure(first ?? null),
      figure(last ?? null),
      figure(trend.growth),
      figure(trend.allowed),
      trend.isGrowing ? '**grows**' : 'steady',
    ];
  });
  return `## ${setup}

Measured on ${at.slice(0, 10)} for ${figure(minutes)} minutes, at ${figure(capacity * share)} events/s (capacity alone ${figure(capacity)}${isAlone ? '' : '; the other setup ran beside it'}), with
${figure(partnerCalls)} partner calls/s.
${failed === 0 ? 'No request was refused or failed.' : `**${figure(failed)} requests were refused or failed.**`}

${table(['', 'first sample', 'last sample', 'growth in the second half', 'allowed', ''], rows)}

![Memory](soak-${slug(run)}-memory.svg)

![Latencies](soak-${slug(run)}-latencies.svg)

![Database](soak-${slug(run)}-database.svg)
`;
}

function plotsOf({ setup, samples }: Soak): Record<string, Plot> {
  const x = { title: 'minutes', scale: 'linear' } as const;
  const series = (name: string, of: (sample: Sample) => number | null) => ({
    name,
    points: samples.map((one) => [one.atSeconds / 60, of(one) ?? Number.NaN] as const),
  });
  return {
    memory: {
      title: `Soak, ${setup}: memory and handles`,
      x,
      y: { title: 'MB, or handles', scale: 'linear' },
      series: [
        series('resident (MB)', (one) => one.rssMb),
        series('heap after a collection (MB)', (one) => one.heapMb),
        series('handles', (one) => one.handles),
      ],
    },
    latencies: {
      title: `Soak, ${setup}: latencies and event loops`,
      x,
      y: { title: 'ms', scale: 'log' },
      series: [
        series('partner call, p50', (one) => one.partnerP50Ms),
        series('partner call, p99', (one) => one.partnerP99Ms),
        series('event accepted, p50', (one) => one.eventP50Ms),
        series('event accepted, p99', (one) => one.eventP99Ms),
        series('page, p99', (one) => one.pageP99Ms),
        series('partner event loop, p99', (one) => one.partnerLoopP99Ms),
        series('services event loop, p99', (one) => one.servicesLoopP99Ms),
      ],
    },
    database: {
      title: `Soak, ${setup}: database`,
      x,
      y: { title: 'MB', scale: 'linear' },
      series: [series('database', (one) => one.databaseMb)],
    },
  };
}

function slug({ setup }: Soak): string {
  return setup === 'embedded' ? 'embedded' : 'postgresql';
}
