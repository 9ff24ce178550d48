/** The lines as documentation. A test compares docs/check-receiver.md with it. */
import { type Group, groups, type LineTexts } from './line.ts';

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
