/**
 * `npm run simulate`: a day's peak of partner calls and deliveries through the nodes and the PostgreSQL shards of
 * docs/scale/capacity.md, as a queueing model with measured costs. The seed makes it repeatable. It knows only
 * processors and queues: no network, no disk, no lock. So it supports claims about headroom, not about latencies
 * in a real network.
 */
import { parseArgs } from 'node:util';
import { figure, table } from '../plot/tables.ts';
import { type Station, simulate } from './queueing.ts';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });

const DAY_SECONDS = 86_400;
const PEAK = 3;
const CALLS = (1e9 / DAY_SECONDS) * PEAK;
const DELIVERIES = (1e8 / DAY_SECONDS) * PEAK;

/** Measured with `npm run growth` (docs/scale/growth.json), rounded up: µs of CPU. */
const COST = {
  partnerCall: 30,
  delivery: 130,
  deliveryInPostgres: 65,
};

/** A thread is a server of its own; calls of a kind are spread evenly by the load balancer. */
function stations(callNodes: number, deliveryNodes: number, shards: number): Station[] {
  return [
    { name: 'partner-api nodes', servers: callNodes, perSecond: CALLS, micros: COST.partnerCall },
    {
      name: 'delivery nodes',
      servers: deliveryNodes,
      perSecond: DELIVERIES,
      micros: COST.delivery,
    },
    {
      name: 'PostgreSQL shards (one core each)',
      servers: shards,
      perSecond: DELIVERIES,
      micros: COST.deliveryInPostgres,
    },
  ];
}

const cases: [string, Station[]][] = [
  ['as planned', stations(4, 2, 2)],
  ['one node of each kind down', stations(3, 1, 2)],
  ['twice the nodes', stations(8, 4, 4)],
];
const rows = cases.flatMap(([name, all]) =>
  all.map((station) => {
    const { busy, p50Ms, p99Ms, longest } = simulate(station, Number(values.seed));
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
console.log(
  table(['case', 'station', 'per second', 'busy', 'p50 (ms)', 'p99 (ms)', 'longest queue'], rows),
);
