/** Writes docs/scale/overload.md and its plots from the latest run of each engine. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Plot, svgPlot } from '../plot/plot.ts';
import { figure, machine, table } from '../plot/tables.ts';
import { SCALE_DOCS } from '../scale-docs.ts';
import { deliveredShare, percent, sumOf } from './promises.ts';

const FILE = join(SCALE_DOCS, 'overload.json');

/** About ten seconds. Counts are sums over them. */
export interface Period {
  /** When it ended. */
  atSeconds: number;
  seconds: number;
  acceptedEvents: number;
  refusedEvents: number;
  /** Never sent, because too many requests were open. */
  leftOutEvents: number;
  acceptedP99Ms: number | null;
  refusedP50Ms: number | null;
  refusedP99Ms: number | null;
  delivered: number;
  partnerP50Ms: number | null;
  partnerP99Ms: number | null;
  pageP50Ms: number | null;
  pageP99Ms: number | null;
  /** Requests that failed in any other way than 503 with Retry-After. */
  failed: number;
  /** Of Bellhop, since its start. */
  cpuSeconds: number;
  rssMb: number;
  heapMb: number;
  partnerLoopP99Ms: number;
  servicesLoopP99Ms: number;
}

export interface Overload {
  engine: 'embedded' | 'PostgreSQL';
  at: string;
  times: number;
  /** Webhooks a second alone. */
  capacity: number;
  quiet: Period;
  periods: Period[];
  accepted: number;
  lost: number;
  drainSeconds: number;
  failed: number;
}

async function readAll(): Promise<Overload[]> {
  const text = await readFile(FILE, 'utf8').catch(() => '[]');
  return JSON.parse(text) as Overload[];
}

export async function keep(run: Overload): Promise<void> {
  const others = (await readAll()).filter(({ engine }) => engine !== run.engine);
  const all = [...others, run].sort((a, b) => a.engine.localeCompare(b.engine));
  await writeFile(FILE, `${JSON.stringify(all)}\n`);
}

export async function writeDocument(): Promise<void> {
  const runs = await readAll();
  for (const run of runs) {
    for (const [name, plot] of Object.entries(plotsOf(run))) {
      await writeFile(join(SCALE_DOCS, `overload-${slug(run)}-${name}.svg`), svgPlot(plot));
    }
  }
  const parts = runs.map(part);
  await writeFile(join(SCALE_DOCS, 'overload.md'), `${INTRODUCTION}\n${parts.join('\n')}`);
}

const INTRODUCTION = `# More events than Bellhop can deliver

\`npm run overload\` writes this page. It first measures how many webhooks a second Bellhop delivers when it
does nothing else, to a receiver that answers at once. Then it posts several times as many order events, at a steady
rate and in requests of 25, whether they are answered or not. Meanwhile a partner calls \`overview/\` 200 times a
second with a limited, journaled key, and support loads ten pages a second.

The run fails if an accepted event is not delivered, if a request fails in another way than 503 with \`Retry-After\`,
or if deliveries get less than a third of the rate that they have alone. What else must hold is only shown, because it
depends on the machine: a 503 comes promptly, memory stays bounded, partner calls keep their latency, and the back
office stays usable.

Load, receiver, database and Bellhop share the machine's processor, so times on the clock include waiting for it.
${machine()}
`;

function part(run: Overload): string {
  const { engine, times, capacity, quiet, periods, accepted, lost, drainSeconds, failed } = run;
  const seconds = periods.at(-1)?.atSeconds ?? 0;
  const notSent = sumOf(periods, ({ leftOutEvents }) => leftOutEvents);
  return `## ${engine}

Measured on ${run.at.slice(0, 10)}, for ${seconds} s at ${times} times the capacity of ${figure(capacity)} webhooks/s.

- While events poured in, deliveries kept ${percent(deliveredShare(run))} of the rate that they have alone.
- ${figure(accepted)} events were accepted and ${figure(sumOf(periods, (one) => one.refusedEvents))} refused with 503. Of the
  accepted ones, ${lost === 0 ? 'all were delivered' : `**${figure(lost)} were not delivered**`}, the last ${figure(drainSeconds)} s after the overload ended.
- ${notSent === 0 ? 'The load was sent in full.' : `**${figure(notSent)} more events were never sent, because too many requests were open.**`}
- ${failed === 0 ? 'No request failed in another way.' : `**${figure(failed)} requests failed in another way.**`}
- Memory: ${quiet.rssMb} MB before, at most ${Math.max(...periods.map(({ rssMb }) => rssMb))} MB.

![Rates](overload-${slug(run)}-rates.svg)

![Latencies](overload-${slug(run)}-latencies.svg)

![Memory](overload-${slug(run)}-memory.svg)

${table(
  [
    'second',
    'accepted/s',
    'refused/s',
    '503 p50, p99 (ms)',
    'delivered/s',
    'partner p50, p99 (ms)',
    'page p50, p99 (ms)',
    'RSS (MB)',
    'cores used',
    'event loop p99: partner, services (ms)',
  ],
  [
    row('quiet', quiet),
    ...periods.map((period, n) => row(String(period.atSeconds), period, periods[n - 1])),
  ],
)}
`;
}

function row(name: string, period: Period, before?: Period): string[] {
  return [
    name,
    figure(period.acceptedEvents / period.seconds),
    figure(period.refusedEvents / period.seconds),
    `${figure(period.refusedP50Ms)}, ${figure(period.refusedP99Ms)}`,
    figure(period.delivered / period.seconds),
    `${figure(period.partnerP50Ms)}, ${figure(period.partnerP99Ms)}`,
    `${figure(period.pageP50Ms)}, ${figure(period.pageP99Ms)}`,
    figure(period.rssMb),
    figure(before ? (period.cpuSeconds - before.cpuSeconds) / period.seconds : null),
    `${figure(period.partnerLoopP99Ms)}, ${figure(period.servicesLoopP99Ms)}`,
  ];
}

function plotsOf({ engine, periods }: Overload): Record<string, Plot> {
  const x = { title: 'seconds', scale: 'linear' } as const;
  const series = (name: string, of: (period: Period) => number | null) => ({
    name,
    points: periods.map((period) => [period.atSeconds, of(period) ?? Number.NaN] as const),
  });
  return {
    rates: {
      title: `Overload, ${engine}: events and webhooks`,
      x,
      y: { title: 'per second', scale: 'linear' },
      series: [
        series('events accepted', (one) => one.acceptedEvents / one.seconds),
        series('events refused with 503', (one) => one.refusedEvents / one.seconds),
        series('webhooks delivered', (one) => one.delivered / one.seconds),
      ],
    },
    latencies: {
      title: `Overload, ${engine}: what callers wait for`,
      x,
      y: { title: 'ms', scale: 'log' },
      series: [
        series('partner call, p50', (one) => one.partnerP50Ms),
        series('partner call, p99', (one) => one.partnerP99Ms),
        series('503, p99', (one) => one.refusedP99Ms),
        series('event accepted, p99', (one) => one.acceptedP99Ms),
        series('back-office page, p99', (one) => one.pageP99Ms),
      ],
    },
    memory: {
      title: `Overload, ${engine}: memory`,
      x,
      y: { title: 'MB', scale: 'linear' },
      series: [
        series('resident', (one) => one.rssMb),
        series('heap after a full collection', (one) => one.heapMb),
      ],
    },
  };
}

function slug({ engine }: Overload): string {
  return engine.toLowerCase();
}
