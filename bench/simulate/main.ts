/**
 * `npm run simulate`: a day's peak of partner calls and deliveries through the nodes, Redis and PostgreSQL servers of
 * docs/scale/capacity.md, as a queueing model with measured costs. The seed makes it repeatable. It knows only
 * processors and queues: no network, no disk, no lock. So it supports claims about headroom, not about latencies
 * in a real network.
 */
import { parseArgs } from 'node:util';
import { simulated } from './plan.ts';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
console.log(simulated(Number(values.seed)));
