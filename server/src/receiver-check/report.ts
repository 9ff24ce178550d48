/** What a certification found. Programs get it as it is; people get it through report-text.ts. */
import type { LineTexts, Outcome } from './line.ts';
import type { CheckedForm } from './lines.ts';

export interface ReportLine extends LineTexts {
  outcome: Outcome;
  /** What came; for a skipped line, why it was skipped. */
  got: string;
}

export interface Report {
  url: string;
  form: CheckedForm;
  /** ISO 8601. */
  started_at: string;
  duration_ms: number;
  /** `passed` only if every line did: what was skipped is not known to be good. */
  verdict: 'passed' | 'failed';
  passed: number;
  failed: number;
  skipped: number;
  lines: ReportLine[];
}

export function reportOf(
  about: Pick<Report, 'url' | 'form' | 'started_at' | 'duration_ms'>,
  lines: ReportLine[],
): Report {
  const count = (outcome: Outcome) => lines.filter((line) => line.outcome === outcome).length;
  const passed = count('passed');
  return {
    ...about,
    verdict: passed === lines.length && passed > 0 ? 'passed' : 'failed',
    passed,
    failed: count('failed'),
    skipped: count('skipped'),
    lines,
  };
}

/** Only the texts, in the report's order of fields: a case carries its code besides. */
export function reportLine(texts: LineTexts, outcome: Outcome, got: string): ReportLine {
  const { name, group, title, sent, expected, why, fix } = texts;
  return { name, group, title, outcome, sent, expected, got, why, fix };
}
