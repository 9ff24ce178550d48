/** The installation of docs/scale/capacity.md: its load, its measured costs, and how many there are of each part. */
import { figure, table } from '../plot/tables.ts';
import { type Station, simulate } from './queueing.ts';

const DAY_SECONDS = 86_400;
/** The busiest hour has this many times the average. */
const PEAK = 3;
const CALLS = (1e9 / DAY_SECONDS) * PEAK;
const DELIVERIES = (1e8 / DAY_SECONDS) * PEAK;

/** µs of CPU, measured with `npm run growth` and `npm run bench`, and rounded up. */
export const COST = {
  /** Forwarded, with a limit in Redis. */
  partnerCall: 130,
  limitInRedis: 13,
  /** Accepted and delivered. */
  delivery: 150,
  /** Accepted, delivered, and deleted again. */
  deliveryInPostgres: 160,
};

interface Parts {
  partnerNodes: number;
  deliveryNodes: number;
  postgres: number;
}

/** A thread is a server of its own; calls of a kind are spread evenly by the load balancer. */
function stations({ partnerNodes, deliveryNodes, postgres }: Parts): Station[] {
  return [
    { name: 'partner nodes', servers: partnerNodes, perSecond: CALLS, micros: COST.partnerCall },
    { name: 'Redis', servers: 1, perSecond: CALLS, micros: COST.limitInRedis },
    {
      name: 'delivery nodes',
      servers: deliveryNodes,
      perSecond: DELIVERIES,
      micros: COST.delivery,
    },
    {
      name: 'PostgreSQL, one core each',
      servers: postgres,
      perSecond: DELIVERIES,
      micros: COST.deliveryInPostgres,
    },
  ];
}

/** A PostgreSQL server that fails is replaced by its standby. */
const CASES: [string, Parts][] = [
  ['as planned', { partnerNodes: 10, deliveryNodes: 2, postgres: 4 }],
  [
    'two partner nodes and a delivery node down',
    { partnerNodes: 8, deliveryNodes: 1, postgres: 4 },
  ],
  ['half of everything', { partnerNodes: 5, deliveryNodes: 1, postgres: 2 }],
];

/** The outcome of each case as a table in Markdown. */
export function simulated(seed: number): string {
  const rows = CASES.flatMap(([name, parts]) =>
    stations(parts).map((station) => {
      const { busy, p50Ms, p99Ms, longest } = simulate(station, seed);
      return [
        name,
        `${station.servers} ${station.name}`,
        figure(station.perSecond),
        `${(busy * 100).toFixed(0)} %`,
        figure(p50Ms),
        figure(p99Ms),
        figure(longest),
      ];
    }),
  );
  const head = ['case', 'part', 'per second', 'busy', 'p50 (ms)', 'p99 (ms)', 'longest queue'];
  return table(head, rows);
}
