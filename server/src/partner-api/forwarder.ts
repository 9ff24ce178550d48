/** What the flow needs from forwarding. forward.ts implements it, and is loaded only if there is an upstream. */
import { Slot } from './calls-in-flight.ts';
import { Refusal } from './refusal.ts';
import type { Counted, Permitted, Reserved } from './stages.ts';

export interface Forwarder {
  /** A promise while the call waits for a slot. A call that has one is forwarded, or must release it. */
  reserve(permitted: Permitted): Reserved | Promise<Reserved>;
  forward(counted: Counted<Reserved>): Promise<void>;
  close(): Promise<void>;
}

/** Used if no upstream is set: every call gets a slot, and then 501. */
export const noUpstream: Forwarder = {
  reserve: (permitted) => ({ ...permitted, slot: new Slot(() => {}) }),
  forward: () => Promise.reject(new Refusal('upstreamNotConfigured')),
  close: () => Promise.resolve(),
};
