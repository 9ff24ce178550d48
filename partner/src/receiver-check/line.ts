/**
 * A line of the certification: what is sent to a receiver, what it should do, and what to tell the partner
 * if it does not. The texts are part of the line, so that the report, `--list` and the documentation agree.
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
  /** Stable, because `--only`, programs and the documentation use it. */
  name: string;
  group: Group;
  /** Completes the sentence "The receiver …". */
  title: string;
  sent: string;
  expected: string;
  why: string;
  fix: string;
}

export interface Finding {
  passed: boolean;
  got: string;
  /** The receiver is at risk, but the specification allows what it does. */
  warned?: true;
}

/**
 * A `warned` receiver can be certified. A `skipped` line could not be judged and says why; a receiver with a
 * skipped line is not certified.
 */
export const outcomes = ['passed', 'warned', 'failed', 'skipped'] as const;
export type Outcome = (typeof outcomes)[number];

/** Sends something and judges the answer. */
export interface Case extends LineTexts {
  /** Which body forms it is about; all by default. */
  form?: 'data' | 'flat' | 'both';
  run(sender: Sender): Promise<Finding>;
}

/** Judged at the end, from all answers so far; undefined if they say nothing about it. */
export interface Observation extends LineTexts {
  judge(sender: Sender): Finding | undefined;
}
