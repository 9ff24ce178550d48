import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../base/log.ts';

interface Retiring {
  log: Log;
  retire(): void;
}

/**
 * The time between the signal and the stop. Balancers notice that the node is not ready, and send it nothing more; until
 * they do, every call is answered.
 */
export class DrainDelay {
  readonly #end = new AbortController();
  #isPassing = false;

  async pass({ log, retire }: Retiring, delayMs: number): Promise<undefined> {
    if (delayMs === 0) return;
    retire();
    log.info({ delay_ms: delayMs }, 'not ready from now on; the stop begins after the drain delay');
    this.#isPassing = true;
    await sleep(delayMs, undefined, { signal: this.#end.signal }).catch(() => {});
    this.#isPassing = false;
  }

  /** True if it was passing. */
  end(): boolean {
    if (this.#isPassing) this.#end.abort();
    return this.#isPassing;
  }
}
