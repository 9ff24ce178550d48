/** What several targets share because it takes a while to start. */
import { type RunningBellhop, startBellhop } from './running-bellhop.ts';

export interface World {
  /** Started when it is first needed. */
  bellhop(): Promise<RunningBellhop>;
  close(): Promise<void>;
}

export function createWorld(): World {
  let bellhop: Promise<RunningBellhop> | undefined;
  return {
    bellhop() {
      bellhop ??= startBellhop();
      return bellhop;
    },
    async close() {
      await (await bellhop)?.close();
    },
  };
}
