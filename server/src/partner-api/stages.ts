/**
 * The first flow as types: Call → Authenticated → Permitted → Counted → answered, and for a call to the
 * upstream Permitted → Reserved → Counted → forwarded. Each stage takes the one before, so they cannot
 * be run out of order. What a refusal and the log say of a call that came only so far is on the Call.
 */
import type { Grant } from '../grants.ts';
import type { Standing } from '../limits/limiter.ts';
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

/** The upstream has room for it. */
export interface Reserved extends Permitted {
  readonly slot: Slot;
}

/** Its limit had room, and the call is counted. */
export interface Counted<Stage extends Permitted = Permitted> {
  readonly stage: Stage;
  /** Where the key stands now; undefined where the endpoint is not limited. */
  readonly standing: Standing | undefined;
}
