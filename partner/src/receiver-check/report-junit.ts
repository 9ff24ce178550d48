/** The report as JUnit XML for build servers: a suite for each group, a case for each line. */
import { type Group, groups } from './line.ts';
import type { Report, ReportLine } from './report.ts';

export function reportInJunit(report: Report): string {
  const { url, lines, failed, skipped, duration_ms, started_at } = report;
  const attributes = [
    `name="check-receiver ${escaped(url)}"`,
    `tests="${lines.length}" failures="${failed}" skipped="${skipped}" errors="0"`,
    `time="${duration_ms / 1_000}" timestamp="${started_at}"`,
  ];
  const suites = (Object.keys(groups) as Group[])
    .map((group) =>
      suite(
        group,
        lines.filter((line) => line.group === group),
      ),
    )
    .filter((text) => text !== '');
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${attributes.join(' ')}>
${suites.join('\n')}
</testsuites>
`;
}

function suite(group: Group, lines: ReportLine[]): string {
  if (lines.length === 0) return '';
  const count = (outcome: string) => lines.filter((line) => line.outcome === outcome).length;
  const cases = lines.map((line) => testCase(line)).join('\n');
  return `  <testsuite name="${escaped(groups[group])}" tests="${lines.length}" failures="${count('failed')}" skipped="${count('skipped')}" errors="0">
${cases}
  </testsuite>`;
}

function testCase(line: ReportLine): string {
  const { group, name, outcome, got } = line;
  const attributes = `classname="check-receiver.${group}" name="${escaped(name)}"`;
  if (outcome === 'passed') return `    <testcase ${attributes}/>`;
  if (outcome === 'skipped') {
    return `    <testcase ${attributes}><skipped message="${escaped(got)}"/></testcase>`;
  }
  const { title, sent, expected, why, fix } = line;
  if (outcome === 'warned') {
    const warning = `warning: ${got}\nwhy: ${why}\nfix: ${fix}`;
    return `    <testcase ${attributes}><system-out>${escaped(warning)}</system-out></testcase>`;
  }
  const text = `checked: the receiver ${title}\nsent: ${sent}\nexpected: ${expected}\ngot: ${got}\nwhy: ${why}\nfix: ${fix}`;
  return `    <testcase ${attributes}>
      <failure message="${escaped(got)}">${escaped(text)}</failure>
    </testcase>`;
}

/** The report quotes replies, and XML cannot represent most control characters. */
function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
  );
}
