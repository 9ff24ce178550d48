/** What the flow needs of forwarding. forward.ts does it, and is loaded only where there is an upstream. */
import { Slot } from './calls-in-flight.ts';
import { Refusal } from './refusal.ts';
import type { Counted, Permitted, Reserved } from './stages.ts';

export interface Forwarder {
  /** A promise while the call waits for a slot. A call that has one is forwarded, or must release it. */
  reserve(permitted: Permitted): Reserved | Promise<Reserved>;
  forward(counted: Counted<Reserved>): Promise<void>;
  close(): Promise<void>;
}

/** Where no upstream is set: every call has room, and none gets an answer. */
export const noUpstream: Forwarder = {
  reserve: (permitted) => ({ ...permitted, slot: new Slot(() => {}) }),
  forward: () => Promise.reject(new Refusal('upstreamNotConfigured')),
  close: () => Promise.resolve(),
};
