/**
 * Events in, with a group commit: requests that arrive during a commit are stored together by the next
 * one, and each is answered only when it is durable. One wait for the disk then serves many requests.
 */
import type { Clock } from '../clock.ts';
import type { OrderEventInput, Verdict } from './order-event.ts';

/** Events in one transaction; further requests wait for the next one. */
const MOST_EVENTS_AT_ONCE = 5_000;

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
}

export type AcceptEvents = (events: readonly OrderEventInput[]) => Promise<Verdict>;

interface Waiting {
  events: readonly OrderEventInput[];
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

export function createAccept<Work>(
  store: OrderStore<Work>,
  worker: LocalWorker<Work>,
  clock: Clock,
): AcceptEvents {
  const waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = takeGroup(waiting);
      try {
        const mark = worker.mark();
        const { verdicts, work } = await store.accept(
          group.map((one) => one.events),
          clock.now(),
          worker.epochOf,
        );
        worker.handOver(work, mark);
        for (const [i, one] of group.entries()) one.resolve(verdicts[i] as Verdict);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    running = false;
  }

  return (events) =>
    new Promise((resolve, reject) => {
      waiting.push({ events, resolve, reject });
      if (running) return;
      running = true;
      // Other requests of this turn join the group.
      setImmediate(() => void run());
    });
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
