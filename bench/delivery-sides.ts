/** What the benches of delivery throughput measure, and the bare loop they are compared with. */
import type { Bellhop } from './bellhop.ts';
import {
  deliveredCount,
  type Midoffices,
  pauseAll,
  postEvents,
  untilDelivered,
} from './midoffices.ts';
import type { Started } from './processes.ts';
import type { Side } from './side-by-side.ts';

/** `nodes` share one database; requests go to the first one. */
export interface Delivering {
  nodes: [Bellhop, ...Bellhop[]];
  midoffices: Midoffices;
}

/**
 * Accepted → delivered and recorded: the events are accepted while the midoffices are paused. The clock
 * runs from when they are resumed until the last attempt is committed.
 */
export function drained(name: string, { nodes, midoffices }: Delivering, events: number): Side {
  return {
    name,
    async measure() {
      await pauseAll(nodes[0], midoffices, true);
      const before = await deliveredCount(nodes);
      await postEvents(nodes[0], midoffices, midoffices.ids, events);
      const usedMs = await cpuMs(nodes);
      const startedMs = performance.now();
      await pauseAll(nodes[0], midoffices, false);
      await untilDelivered(nodes, before + events);
      const figure = perSecond(events, startedMs);
      return { figure, details: cpuOfEach((await cpuMs(nodes)) - usedMs, events) };
    },
  };
}

/** Posted → delivered and recorded, in batches of the largest size. */
export function posted(name: string, { nodes, midoffices }: Delivering, events: number): Side {
  return {
    name,
    async measure() {
      const before = await deliveredCount(nodes);
      const usedMs = await cpuMs(nodes);
      const startedMs = performance.now();
      await postEvents(nodes[0], midoffices, midoffices.ids, events);
      await untilDelivered(nodes, before + events);
      const figure = perSecond(events, startedMs);
      return { figure, details: cpuOfEach((await cpuMs(nodes)) - usedMs, events) };
    },
  };
}

/** `sender` runs servers/bare-sender.ts. */
export function bareLoop(sender: Started, events: number, atOnce: number): Side {
  return {
    name: 'bare loop',
    async measure() {
      const usedMs = await cpuMs([sender]);
      const reply = await fetch(`${sender.ready}/send?count=${events}&at_once=${atOnce}`);
      const figure = events / Number(await reply.text());
      return { figure, details: cpuOfEach((await cpuMs([sender])) - usedMs, events) };
    },
  };
}

export async function cpuMs(processes: readonly Started[]): Promise<number> {
  const each = await Promise.all(processes.map((one) => one.cpuMs()));
  return each.reduce((sum, ms) => sum + ms, 0);
}

/** More meaningful than the rate while the machine is busy with something else. */
export function cpuOfEach(cpuMs: number, events: number): Record<string, number> {
  return { 'µs of CPU each': (cpuMs * 1_000) / events };
}

export function perSecond(events: number, startedMs: number): number {
  return events / ((performance.now() - startedMs) / 1_000);
}
