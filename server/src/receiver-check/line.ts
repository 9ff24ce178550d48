/**
 * A line of the certification: what is sent to a receiver, what it should do, and what to tell the
 * partner if it does not. The texts belong to the line, so that the report, `--list` and the
 * documentation can't say different things.
 */
import type { Sender } from './sender.ts';

export const groups = {
  accepts: 'Accepts what is genuine',
  refuses: 'Refuses what is not',
  survives: 'Survives what is broken',
  replies: 'Replies as it should',
} as const;

export type Group = keyof typeof groups;

export interface LineTexts {
  /** Stable: for `--only`, for programs, and for the documentation. */
  name: string;
  group: Group;
  /** Completes the sentence "The receiver …". */
  title: string;
  sent: string;
  expected: string;
  why: string;
  fix: string;
}

export type Finding = { passed: boolean; got: string };

/** `skipped` lines could not be judged, and say why; a receiver with one is not certified. */
export type Outcome = 'passed' | 'failed' | 'skipped';

/** Sends something and judges the answer. */
export interface Case extends LineTexts {
  /** Which forms of the body it is about; all if not given. */
  form?: 'data' | 'flat' | 'both';
  run(sender: Sender): Promise<Finding>;
}

/** Judged at the end, by everything that was answered until then; undefined if nothing tells. */
export interface Observation extends LineTexts {
  judge(sender: Sender): Finding | undefined;
}
