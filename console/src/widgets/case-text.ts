/** A case as plain text, for a ticket. */
import { exactTime, inChosenZone } from '../ui/text/times.ts';
import { words } from '../words/words.ts';
import type { ShownCase } from './CaseTimeline.tsx';

/** `address` is where the reader finds the case itself. */
export function caseAsText({ subject, items, is_complete }: ShownCase, address: string): string {
  const title = words.cases.title[subject.kind](subject.id);
  const lines = items.map(({ at, sentence }) => `${exactTime(at)}  ${inChosenZone(sentence)}`);
  return [title, address, '', ...lines, ...(is_complete ? [] : ['', words.cases.incomplete])].join(
    '\n',
  );
}
