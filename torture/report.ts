/** How progress and the result look to people. */
import type { Figures } from './check/figures.ts';
import type { Ledger, Violation } from './ledger.ts';
import type { Options } from './options.ts';
import { hasFailed } from './partner-calls.ts';
import type { Progress, Result } from './torture.ts';

const VIOLATIONS_SHOWN = 5;
const PLAIN_EVERY_MS = 10_000;

/** One line that is overwritten; without a terminal, a line from time to time. */
export function createProgress(output: NodeJS.WriteStream): (progress: Progress) => void {
  let lastStage = '';
  let lastLineAtMs = 0;
  return ({ stage, ledger }) => {
    const line = `${stage}: ${count(ledger.events.size)} events, ${count(ledger.receptions.length)} webhooks, ${count(ledger.faults.length)} faults, ${count(ledger.violations.length)} violations`;
    if (output.isTTY) {
      output.write(`\r\x1b[K${line}`);
      return;
    }
    const kind = stage.replace(/ .*/, '');
    if (kind === lastStage && Date.now() - lastLineAtMs < PLAIN_EVERY_MS) return;
    lastStage = kind;
    lastLineAtMs = Date.now();
    output.write(`${line}\n`);
  };
}

/** All faults with their times, and all violations, to be read beside the logs. */
export function writeDetails({ faults, violations }: Ledger): string {
  const time = (ms: number) => new Date(ms).toISOString();
  const injected = faults.map(
    ({ kind, node = 'all', atMs, untilMs }) => `${time(atMs)} to ${time(untilMs)} ${node}: ${kind}`,
  );
  const violated = violations.map(({ rule, detail }) => `Violated: ${rule}\n${detail}`);
  return [...injected, ...violated, ''].join('\n\n');
}

export function writeReport(options: Options, result: Result): string {
  const { ledger, folder } = result;
  const lines = ['', ...table(rowsOf(result)), ''];
  const { violations } = ledger;
  if (violations.length === 0) {
    lines.push(`Clean: every 202 was kept, and every rule held. ${choices(options)}`);
    return lines.join('\n');
  }
  lines.push(`${count(violations.length)} violations:`, ...table(byRule(violations)));
  for (const { rule, detail } of violations.slice(0, VIOLATIONS_SHOWN)) {
    lines.push('', `Violated: ${rule}`, detail);
  }
  lines.push('', `Logs and data are kept in ${folder}. ${choices(options)}`);
  return lines.join('\n');
}

function rowsOf({ ledger, figures, tookMs, heldUpMs }: Result): [string, string][] {
  return [
    ['events reported', count(ledger.events.size)],
    ['  answered 202', count(ledger.accepted)],
    ['  reported again on purpose', count(ledger.repeats)],
    ['  first 202 lost, known as a duplicate', count(ledger.lostAnswers)],
    ['deliveries', count(sum(Object.values(figures.states)))],
    ...Object.entries(figures.states)
      .sort()
      .map(([state, n]): [string, string] => [`  ${state}`, count(n)]),
    ['attempts recorded', count(figures.attempts)],
    ['  failed without a receiver noticing', count(figures.unseen)],
    ['  answered too late', count(figures.tooLate)],
    ['deliveries with an attempt restored late', count(figures.restoredLate)],
    ['webhooks received', count(ledger.receptions.length)],
    ['  not recorded, because the node crashed or lost its lease', count(figures.repeats)],
    ['partner calls', count(ledger.calls.length)],
    ['  admitted', count(callsWith(ledger, 200))],
    ['  refused by their limit', count(callsWith(ledger, 429))],
    ['  failed', count(ledger.calls.filter(hasFailed).length)],
    ...failureRows(ledger),
    ['a node enforced limits on its own', count(figures.spellsAlone)],
    ...faultRows(ledger),
    ['starts took, p50 / p99 / most', spread(ledger.startsMs)],
    ['stops took', spread(ledger.stopsMs)],
    ...(ledger.revokedMs.length > 0
      ? [['revoked keys were let in for', spread(ledger.revokedMs)] as [string, string]]
      : []),
    ['retries were late by', spread(figures.latenessMs)],
    ...takeoverRows(figures),
    ...recoveryRows(figures),
    ['the machine held up the torture for at most', `${count(Math.round(heldUpMs))} ms`],
    ['took', `${(tookMs / 1_000).toFixed(1)} s`],
  ];
}

function takeoverRows({ takeoversMs, handoversMs }: Figures): [string, string][] {
  const rows: [string, number[]][] = [
    ['from a crash to the next attempt in its lanes', takeoversMs],
    ['from a stop to the next attempt in its lanes', handoversMs],
  ];
  return rows.filter(([, times]) => times.length > 0).map(([name, times]) => [name, spread(times)]);
}

function recoveryRows({ recovery }: Figures): [string, string][] {
  if (!recovery) return [];
  const { fault, from, lastedMs, callsMs, webhooksMs, readyMs } = recovery;
  const ms = (value: number | null, otherwise: string) =>
    value === null ? otherwise : `${count(Math.round(value))} ms`;
  return [
    [`${fault} lasted`, ms(lastedMs, '')],
    [`from its ${from} to the last failed partner call`, ms(callsMs, 'none failed')],
    [`from its ${from} to the next attempt in every lane`, ms(webhooksMs, '')],
    ['from its end until every node was ready', ms(readyMs, 'never')],
  ];
}

function failureRows({ calls }: Ledger): [string, string][] {
  const kinds = Map.groupBy(calls.filter(hasFailed), ({ status, problem = '' }) =>
    // A page that is no JSON comes from the load balancer.
    status === undefined
      ? 'no answer'
      : `${status} ${problem.startsWith('<') ? 'from the load balancer' : problem}`,
  );
  return [...kinds].map(([kind, some]) => [`    ${kind}`, count(some.length)]);
}

function callsWith({ calls }: Ledger, wanted: number): number {
  return calls.filter(({ status }) => status === wanted).length;
}

function faultRows({ faults }: Ledger): [string, string][] {
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  return [...kinds]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, some]) => [kind, count(some.length)]);
}

function byRule(violations: readonly Violation[]): [string, string][] {
  const rules = Map.groupBy(violations, ({ rule }) => rule);
  return [...rules].map(([rule, some]) => [rule, count(some.length)]);
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  return `${[at(0.5), at(0.99), at(1)].map(count).join(' / ')} ms`;
}

function choices({ seed, engine, nodes, rounds, fault }: Options): string {
  const what = fault ?? `${rounds} rounds`;
  return `Seed ${seed}, ${engine}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${what}.`;
}

function table(rows: readonly [string, string][]): string[] {
  const left = Math.max(...rows.map(([name]) => name.length));
  const right = Math.max(...rows.map(([, value]) => value.length));
  return rows.map(([name, value]) => `  ${name.padEnd(left)}  ${value.padStart(right)}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

function count(n: number): string {
  return n.toLocaleString('en');
}
