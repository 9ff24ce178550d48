/**
 * The exit codes of `serve`, so that a supervisor knows whether another start can help. 1 and 2 mean the same as for
 * every command. The others are those of sysexits.h, because no shell and no signal uses them for something else.
 */
import type { StartRefusal } from '../base/config/config.ts';

export interface ServeExit {
  code: number;
  meaning: string;
  /** False if every further start would end in the same way. */
  canRetry: boolean;
}

const REFUSALS: Record<StartRefusal, ServeExit> = {
  data: {
    code: 65,
    canRetry: false,
    meaning:
      'The data is refused: it belongs to another environment, needs another master key, is damaged, was moved, or was used by a newer Bellhop.',
  },
  unavailable: {
    code: 69,
    canRetry: true,
    meaning: 'PostgreSQL does not answer, or a database cannot be written to.',
  },
  busy: {
    code: 75,
    canRetry: true,
    meaning:
      'Something else has to end first: a port is taken, another Bellhop uses the data folder or lacks the new master key, a restore or a move is in progress.',
  },
  setting: {
    code: 78,
    canRetry: false,
    meaning: 'A setting, or a file that it names, is invalid.',
  },
};

const FAILED: ServeExit = {
  code: 1,
  canRetry: true,
  meaning:
    'It could not start for another reason, failed while it ran, or could not save everything.',
};

export const SERVE_EXITS: readonly ServeExit[] = [
  { code: 0, canRetry: true, meaning: 'It was asked to stop.' },
  FAILED,
  {
    code: 2,
    canRetry: false,
    meaning: 'Bad usage: an argument that `serve` does not take, or a Node that is too old.',
  },
  ...Object.values(REFUSALS),
];

export function exitOfRefusal(refusal: StartRefusal): number {
  return REFUSALS[refusal].code;
}
