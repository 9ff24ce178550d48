/**
 * Events in, with a group commit: requests that arrive during a commit are stored together by the next
 * one, and each is answered only when it is durable. One wait for the disk then serves many requests.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { OrderEventInput, Verdict } from './order-event.ts';

/**
 * Events in one transaction; further requests wait for the next one. The embedded database stores them in the
 * thread that also delivers, and a thousand take it some 25 ms.
 */
const MOST_EVENTS_AT_ONCE = 1_000;
/**
 * After a transaction of at least this many events, deliveries come first for a while, or a sender of large
 * requests would take all of the thread. Single events are never held up: 64 senders make groups of 64.
 */
const MANY_EVENTS = 250;
/**
 * Reading and checking the events took about as long as storing them. Only what is stored in this thread counts: while
 * PostgreSQL stores, deliveries have the thread. Pausing for that time as well took half of what a node could accept.
 */
const PAUSE_FOR_TIME_STORING = 2;
const LONGEST_PAUSE_MS = 100;

/** `Work` is what the store hands to the delivery worker of this process; here it only passes through. */
export interface OrderStore<Work> {
  /**
   * Stores all valid requests in one transaction. Returns the rows in shards of this node as work; a
   * notice tells the owners of the others.
   */
  accept(
    requests: readonly (readonly OrderEventInput[])[],
    nowMs: number,
    epochOf: EpochOf,
  ): Promise<{ verdicts: Verdict[]; work: Work[] }>;
}

/** The epoch of a shard; undefined if this node does not own it. */
export type EpochOf = (shard: number) => number | undefined;

/** The delivery worker of this process, as far as accepting events is concerned. */
export interface LocalWorker<Work> {
  epochOf: EpochOf;
  /** Read before the rows are stored, because the worker may read them from the table before `handOver`. */
  mark(): number;
  handOver(work: readonly Work[], mark: number): void;
  /** Whether it has attempts in progress, which need time in this thread too. */
  isDelivering(): boolean;
}

/** `trace` is stored with each event (office/event-trace.ts). */
export type AcceptEvents = (events: readonly OrderEventInput[], trace?: string) => Promise<Verdict>;

interface Waiting {
  events: readonly OrderEventInput[];
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

export interface Accepting {
  accept: AcceptEvents;
  /** Events that are not stored yet. */
  waiting(): number;
}

export function createAccept<Work>(
  store: OrderStore<Work>,
  worker: LocalWorker<Work>,
  clock: Clock,
): Accepting {
  const waiting: Waiting[] = [];
  let waitingEvents = 0;
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = takeGroup(waiting);
      const startedMs = performance.now();
      let inThreadMs = 0;
      try {
        const mark = worker.mark();
        const storing = store.accept(
          group.map((one) => one.events),
          clock.now(),
          worker.epochOf,
        );
        inThreadMs = performance.now() - startedMs;
        const { verdicts, work } = await storing;
        worker.handOver(work, mark);
        for (const [i, one] of group.entries()) one.resolve(verdicts[i] as Verdict);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
      waitingEvents -= eventsIn(group);
      if (eventsIn(group) >= MANY_EVENTS && worker.isDelivering()) {
        await pause(Math.min(PAUSE_FOR_TIME_STORING * inThreadMs, LONGEST_PAUSE_MS));
      }
    }
    running = false;
  }

  return {
    accept: (events, trace) =>
      new Promise((resolve, reject) => {
        const traced = trace === undefined ? events : events.map((one) => ({ ...one, trace }));
        waiting.push({ events: traced, resolve, reject });
        waitingEvents += events.length;
        if (running) return;
        running = true;
        // Other requests of this turn join the group.
        setImmediate(() => void run());
      }),
    waiting: () => waitingEvents,
  };
}

function eventsIn(group: readonly Waiting[]): number {
  return group.reduce((sum, { events }) => sum + events.length, 0);
}

function takeGroup(waiting: Waiting[]): Waiting[] {
  let events = 0;
  let count = 0;
  for (const one of waiting) {
    events += one.events.length;
    if (count > 0 && events > MOST_EVENTS_AT_ONCE) break;
    count++;
  }
  return waiting.splice(0, count);
}
