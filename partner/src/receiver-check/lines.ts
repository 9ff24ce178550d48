/** All lines of the certification, in order. */
import { acceptsCases } from './cases/accepts.ts';
import { answersLine } from './cases/answers.ts';
import { refusesCases } from './cases/refuses.ts';
import { repliesObservations } from './cases/replies.ts';
import { survivesCases } from './cases/survives.ts';
import type { CheckedForm } from './forms.ts';
import { type Case, type Group, groups, type LineTexts } from './line.ts';

export function casesFor(form: CheckedForm): Case[] {
  const all = [...acceptsCases, ...refusesCases, ...survivesCases];
  return form === 'both' ? all : all.filter((one) => one.form === undefined || one.form === form);
}

export function linesFor(form: CheckedForm): LineTexts[] {
  return [answersLine, ...casesFor(form), ...repliesObservations];
}

/** The lines as documentation. A test compares docs/check-receiver.md with it. */
export function linesDocument(lines: readonly LineTexts[]): string {
  return (Object.keys(groups) as Group[])
    .map((group) => {
      const own = lines.filter((line) => line.group === group);
      return own.length === 0 ? '' : `## ${groups[group]}\n\n${own.map(section).join('\n')}`;
    })
    .filter((text) => text !== '')
    .join('\n');
}

function section({ name, title, sent, expected, why, fix }: LineTexts): string {
  return `### \`${name}\`: ${title}

- **Sent:** ${sent}
- **Expected:** ${expected}
- **Why it matters:** ${why}
- **How to fix it:** ${fix}
`;
}
