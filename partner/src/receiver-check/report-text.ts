/** The report for people: a row for each line, with all details of those that did not pass. */
import { type Group, groups, type Outcome } from './line.ts';
import { linesFor } from './lines.ts';
import type { Report, ReportLine } from './report.ts';

/** Colours on a terminal; text as it is elsewhere. */
export type Paint = (colour: 'green' | 'red' | 'yellow' | 'dim' | 'bold', text: string) => string;

const marks: Record<Outcome, string> = { passed: '✓', warned: '!', failed: '✗', skipped: '-' };
const colours = { passed: 'green', warned: 'yellow', failed: 'red', skipped: 'yellow' } as const;
const NAME_WIDTH = 22;
/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 100;

/**
 * Returns what to print for each line as it is judged, and at the end. Lines that were skipped for the same
 * reason become one: an unreachable receiver would fill the screen with that reason.
 */
export function reportWriter(paint: Paint, columns = WIDEST) {
  /** Skipped for the same reason, and not printed yet. */
  let skipped: ReportLine[] = [];
  let group: Group | undefined;

  function skippedSoFar(): string {
    const [first, ...more] = skipped;
    skipped = [];
    if (!first) return '';
    if (more.length === 0) return withHeading(first);
    const mark = paint(colours.skipped, `${marks.skipped} ${more.length + 1} lines were skipped`);
    return `\n  ${mark}\n${explanation('why', first.got, paint, columns)}\n`;
  }

  function withHeading(line: ReportLine): string {
    const heading = line.group === group ? '' : `\n${paint('bold', groups[line.group])}\n`;
    group = line.group;
    return `${heading}${lineInText(line, paint, columns)}\n`;
  }

  return {
    line(line: ReportLine): string {
      const isRepeated = line.outcome === 'skipped' && line.got === (skipped[0]?.got ?? line.got);
      const before = isRepeated ? '' : skippedSoFar();
      if (line.outcome !== 'skipped') return before + withHeading(line);
      skipped.push(line);
      return before;
    },
    end(report: Report): string {
      return `${skippedSoFar()}${verdictInText(report, paint)}\n`;
    },
  };
}

/** `columns` is the width of the terminal, if there is one. */
function lineInText(line: ReportLine, paint: Paint, columns: number): string {
  const { outcome, name, title, got } = line;
  const mark = paint(colours[outcome], `${marks[outcome]} ${name.padEnd(NAME_WIDTH)}`);
  if (outcome === 'passed') return `  ${mark}${title}: ${paint('dim', got)}`;
  if (outcome === 'skipped') {
    return `  ${mark}${title}: skipped\n${explanation('why', got, paint, columns)}`;
  }
  const parts = (['sent', 'expected', 'got', 'why', 'fix'] as const).map((part) =>
    explanation(part, line[part], paint, columns),
  );
  return [`  ${mark}${title}: ${paint(colours[outcome], outcome)}`, ...parts].join('\n');
}

function verdictInText(report: Report, paint: Paint): string {
  const { verdict, passed, warned, failed, skipped, cause, lines, duration_ms } = report;
  const seconds = `${(duration_ms / 1_000).toFixed(1)} s`;
  const isWhole = lines.length === linesFor(report.form).length;
  const asked = isWhole ? '' : ' asked for';
  const rest = isWhole ? '' : ' To check the whole receiver, run the others too.';
  if (verdict === 'passed' && warned === 0) {
    return `\n${paint('green', 'Passed')}: all ${passed} lines${asked} passed, in ${seconds}.${rest}`;
  }
  if (verdict === 'passed') {
    const counts = `${passed} of ${lines.length} lines${asked} passed, ${warned} warned`;
    return `\n${paint('yellow', 'Passed with a warning')}: ${counts}, in ${seconds}.${rest}`;
  }
  const warnings = warned > 0 ? `, ${warned} warned` : '';
  const counts = `${failed} of ${lines.length} lines failed, ${skipped} skipped, ${passed} passed${warnings}`;
  const because = cause === null ? '' : `\n${cause}`;
  return `\n${paint('red', 'Not passed')}: ${counts}, in ${seconds}.${because}`;
}

function explanation(part: string, text: string, paint: Paint, columns: number): string {
  const indent = ' '.repeat(16);
  const [first = '', ...more] = wrapped(text, Math.min(columns, WIDEST) - indent.length);
  const rest = more.map((row) => `\n${indent}${row}`).join('');
  return `      ${paint('dim', part.padEnd(10))}${first}${rest}`;
}

function wrapped(text: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of text.split(' ')) {
    const last = rows.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) rows.push(word);
    else rows[rows.length - 1] = `${last} ${word}`;
  }
  return rows;
}
