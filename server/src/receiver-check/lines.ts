/** All lines of the certification, in order. */
import { acceptsCases } from './cases/accepts.ts';
import { answersLine } from './cases/answers.ts';
import { refusesCases } from './cases/refuses.ts';
import { repliesObservations } from './cases/replies.ts';
import { survivesCases } from './cases/survives.ts';
import type { Case, LineTexts } from './line.ts';

/** `both`: the receiver must read either form, as the specification requires. */
export const checkedForms = ['data', 'flat', 'both'] as const;

export type CheckedForm = (typeof checkedForms)[number];

export function casesFor(form: CheckedForm): Case[] {
  const all = [...acceptsCases, ...refusesCases, ...survivesCases];
  return form === 'both' ? all : all.filter((one) => one.form === undefined || one.form === form);
}

export function linesFor(form: CheckedForm): LineTexts[] {
  return [answersLine, ...casesFor(form), ...repliesObservations];
}
