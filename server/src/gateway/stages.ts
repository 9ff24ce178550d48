/**
 * The first flow as types: Call → Authenticated → Permitted → Counted → answered, and for a call to the
 * upstream Permitted → Reserved → Counted → forwarded. Each stage takes the previous one, so they cannot
 * run out of order. The Call holds what a refusal and the log say about a call that stopped on the way.
 */
import type { Grant } from '../base/grants.ts';
import type { Call } from './call.ts';
import type { Slot } from './calls-in-flight.ts';
import type { Caller } from './keyring.ts';

/** The key is known, and who it belongs to. */
export interface Authenticated {
  readonly call: Call;
  readonly caller: Caller;
}

/** The key may call this endpoint, from this address, with this method. */
export interface Permitted extends Authenticated {
  /** The catalogue's spelling of the path. */
  readonly endpoint: string;
  readonly grant: Grant;
  readonly method: 'GET' | 'HEAD' | 'POST';
}

/** It has a slot for a call in flight to the upstream. */
export interface Reserved extends Permitted {
  readonly slot: Slot;
}

/** Its limit had room, and the call is counted. */
export interface Counted<Stage extends Permitted = Permitted> {
  readonly stage: Stage;
}
