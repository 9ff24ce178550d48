/**
 * Event in: the requests that come in while a commit is under way are stored together by the next
 * one, and each is answered only when it is durable. What the group commit saves is the wait for the
 * disk, which is the same for one event as for a thousand.
 */
import type { Clock } from '../clock.ts';
import type { OrderEventInput, Verdict } from './order-event.ts';

/** Events in one transaction; more wait for the next. */
const MOST_EVENTS_AT_ONCE = 5_000;

export interface OrderStore {
  /** Stores all requests that can be, in one transaction; one verdict per request. */
  accept(requests: readonly (readonly OrderEventInput[])[], nowMs: number): Promise<Verdict[]>;
}

export type AcceptEvents = (events: readonly OrderEventInput[]) => Promise<Verdict>;

interface Waiting {
  events: readonly OrderEventInput[];
  resolve(verdict: Verdict): void;
  reject(error: unknown): void;
}

export function createAccept(store: OrderStore, clock: Clock): AcceptEvents {
  const waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = takeGroup(waiting);
      try {
        const verdicts = await store.accept(
          group.map((one) => one.events),
          clock.now(),
        );
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
      // Whatever else arrives in this turn goes along.
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
