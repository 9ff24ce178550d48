/** The result of a certification. Programs get it as it is; report-text.ts formats it for people. */
import type { CheckedForm } from './forms.ts';
import type { LineTexts, Outcome } from './line.ts';

export interface ReportLine extends LineTexts {
  outcome: Outcome;
  /** The answer; for a skipped line, why it was skipped. */
  got: string;
}

export interface Report {
  url: string;
  form: CheckedForm;
  /** ISO 8601. */
  started_at: string;
  duration_ms: number;
  /** `failed` if a line failed or was skipped: a skipped line says nothing about the receiver. */
  verdict: 'passed' | 'failed';
  passed: number;
  warned: number;
  failed: number;
  skipped: number;
  /** Why a receiver could not be checked, or accepted nothing: one sentence for all lines. */
  cause: string | null;
  lines: ReportLine[];
}

export function reportOf(
  { cause, ...about }: Pick<Report, 'url' | 'form' | 'started_at' | 'duration_ms' | 'cause'>,
  lines: ReportLine[],
): Report {
  const count = (outcome: Outcome) => lines.filter((line) => line.outcome === outcome).length;
  const passed = count('passed');
  const warned = count('warned');
  const hasPassed = passed + warned === lines.length && lines.length > 0;
  return {
    ...about,
    verdict: hasPassed ? 'passed' : 'failed',
    passed,
    warned,
    failed: count('failed'),
    skipped: count('skipped'),
    cause,
    lines,
  };
}

/** Only the texts, in the order of the report's fields: a case also has code. */
export function reportLine(texts: LineTexts, outcome: Outcome, got: string): ReportLine {
  const { name, group, title, sent, expected, why, fix } = texts;
  return { name, group, title, outcome, sent, expected, got, why, fix };
}
