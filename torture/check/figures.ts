import type { Recovery } from './recovery.ts';

/** What the check counts on its way, for the summary. */
export interface Figures {
  states: Record<string, number>;
  attempts: number;
  /** Webhooks that arrived but are not recorded, because their node crashed or lost its lease. */
  repeats: number;
  /** Failed attempts that no receiver noticed. */
  unseen: number;
  /** Answers that came after the time-out. */
  tooLate: number;
  /** Deliveries that others went on with while the only node that knew of an attempt was away in a failover. */
  restoredLate: number;
  /** How late retries began. */
  latenessMs: number[];
  /** From a node's crash to the next attempt in each of its lanes, if no other fault came between. */
  takeoversMs: number[];
  /** The same for nodes that were told to stop. */
  handoversMs: number[];
  /** How often a node enforced the limits of an environment on its own. */
  spellsAlone: number;
  /** Only with `--fault`. */
  recovery?: Recovery;
}

export function newFigures(): Figures {
  return {
    states: {},
    attempts: 0,
    repeats: 0,
    unseen: 0,
    tooLate: 0,
    restoredLate: 0,
    latenessMs: [],
    takeoversMs: [],
    handoversMs: [],
    spellsAlone: 0,
  };
}
