/**
 * Whether a production dependency has a known vulnerability, by `npm audit`. High and critical ones fail
 * the run. A registry that does not answer audits does not: then nothing was checked, and we say so.
 */
import { execFile } from 'node:child_process';

const LONGEST_AUDIT_MS = 60_000;

export interface Audit {
  outcome: 'passed' | 'failed' | 'skipped';
  /** For people. */
  lines: string[];
}

interface Advisory {
  title: string;
  url: string;
  severity: string;
}

interface Report {
  vulnerabilities: Record<string, { severity: string; via: (string | Advisory)[] }>;
}

const SERIOUS = ['high', 'critical'];

export function auditDependencies(folder: string, npmArgs: string[] = []): Promise<Audit> {
  const args = ['audit', '--omit=dev', '--json', ...npmArgs];
  const options = { cwd: folder, timeout: LONGEST_AUDIT_MS, maxBuffer: 64 * 1_048_576 };
  return new Promise((resolve) => {
    // Its exit code does not tell a vulnerability from a registry that does not answer; its report does.
    execFile('npm', args, options, (_error, stdout) => resolve(judgeAudit(stdout)));
  });
}

/** From what `npm audit --json` has printed. */
export function judgeAudit(printed: string): Audit {
  const report = readReport(printed);
  if (!report) {
    const line = 'Dependencies: not checked, because the registry did not answer the audit.';
    return { outcome: 'skipped', lines: [line] };
  }
  const serious = Object.entries(report.vulnerabilities).filter(([, { severity }]) =>
    SERIOUS.includes(severity),
  );
  if (serious.length === 0) {
    const others = Object.keys(report.vulnerabilities);
    const less = others.length > 0 ? ` Less serious ones: ${others.join(', ')}.` : '';
    return {
      outcome: 'passed',
      lines: [`Dependencies: no serious vulnerability is known.${less}`],
    };
  }
  return {
    outcome: 'failed',
    lines: serious.map(([name, { severity, via }]) => `${name}: ${severity}. ${reasons(via)}`),
  };
}

/** Undefined for the error that npm prints in place of a report, and for anything else. */
function readReport(printed: string): Report | undefined {
  try {
    const report = JSON.parse(printed);
    return typeof report?.vulnerabilities === 'object' ? report : undefined;
  } catch {
    return undefined;
  }
}

function reasons(via: readonly (string | Advisory)[]): string {
  return via
    .map((one) => (typeof one === 'string' ? `Through ${one}.` : `${one.title} (${one.url}).`))
    .join(' ');
}
