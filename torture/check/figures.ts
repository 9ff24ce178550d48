/** What the check counts on its way, for the summary. */
export interface Figures {
  states: Record<string, number>;
  attempts: number;
  /** Webhooks that came and are not recorded: their node was struck down, or lost its lease, first. */
  repeats: number;
  /** Failed attempts that no receiver noticed. */
  unseen: number;
  /** Answers that came after the time-out. */
  tooLate: number;
  /** Of retries: how long after their time they began. */
  latenessMs: number[];
  /** From a node's crash to the next attempt in each of its lanes, where nothing else came between. */
  takeoversMs: number[];
  /** The same of nodes that were told to stop. */
  handoversMs: number[];
}

export function newFigures(): Figures {
  return {
    states: {},
    attempts: 0,
    repeats: 0,
    unseen: 0,
    tooLate: 0,
    latenessMs: [],
    takeoversMs: [],
    handoversMs: [],
  };
}
