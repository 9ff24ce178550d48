import { Readable } from 'node:stream';
import type { ImportReport } from '@bellhop/support-client';
import { Command } from '@commander-js/extra-typings';
import { openBackOffice, Refused } from './back-office.ts';
import { CSV_COLUMNS } from './csv-import.ts';
import { CommandFailed } from './failures.ts';
import { examples } from './help-style.ts';
import { type ImportFile, openImportFile } from './import-file.ts';
import { backOfficeOption, environmentOption, jsonOption, tokenOption } from './options.ts';
import { jsonText, paint, printable, progress, table } from './terminal.ts';

export const importCommand = new Command()
  .description(
    `Imports partners, keys with their existing key ids and API keys, grants and midoffices: everything in the file, or nothing. The same file again changes nothing. A file that ends in .csv has one key per row and these columns: ${CSV_COLUMNS.join(', ')}. Any other file is NDJSON: docs/operating/import.md describes the format. Needs a token of role admin.`,
  )
  .argument('<file>', 'the file, or - for NDJSON from the standard input')
  .option('--dry-run', 'report what the import would do, and change nothing')
  .option(
    '--approval-reference <text>',
    'in production: who approved the limits in the file that are above what the keys had before, or above the usual ones',
  )
  .addOption(environmentOption('the environment', 'production'))
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(jsonOption('print the report as JSON'))
  .addHelpText(
    'after',
    examples(
      'bellhop import partners.csv --dry-run',
      'bellhop import partners.csv',
      'bellhop import old-system.ndjson --environment sandbox',
      'bellhop import old-system.ndjson --approval-reference SALES-7',
    ),
  )
  .action(async (file, { dryRun, approvalReference, environment, json, ...options }) => {
    const backOffice = openBackOffice(options);
    const source = await openImportFile(file);
    const query = {
      dry_run: dryRun ? ('true' as const) : undefined,
      approval_reference: approvalReference,
    };
    const shown = progress();
    let fileFailure: unknown;
    const watched = watch(source, shown.show, (error) => {
      fileFailure = error;
    });
    try {
      const content = { type: 'application/x-ndjson', body: watched };
      const report = await backOffice.send('importRecords', { environment, query }, content);
      shown.clear();
      console.log(json ? jsonText(report, 2) : describe(report, source));
    } catch (error) {
      shown.clear();
      // What is wrong with the file says more than the request that it broke off.
      if (fileFailure) throw fileFailure;
      if (!(error instanceof Refused) || !error.errors) throw error;
      if (json) console.log(jsonText(error.problem, 2));
      throw new CommandFailed(errorList(error, source));
    } finally {
      await source.close();
    }
  });

function watch(
  source: ImportFile,
  show: (text: string) => void,
  onFailure: (error: unknown) => void,
): Readable {
  async function* watched() {
    try {
      for await (const chunk of source.chunks) {
        yield chunk;
        show(`Sending the file … ${shareOf(source)}`);
      }
      show('Checking and storing …');
    } catch (error) {
      onFailure(error);
      throw error;
    }
  }
  return Readable.from(watched(), { objectMode: false });
}

function shareOf({ bytes, bytesRead }: ImportFile): string {
  if (bytes) return `${Math.floor((100 * bytesRead()) / bytes)} %`;
  return `${(bytesRead() / 1_048_576).toFixed(1)} MiB`;
}

function describe(report: ImportReport, { lineOf }: ImportFile): string {
  const kinds = ['partners', 'keys', 'grants', 'midoffices'] as const;
  const outcomes = ['created', 'changed', 'unchanged', 'skipped'] as const;
  const rows = kinds.map((kind) => [
    kind,
    ...outcomes.map((outcome) => report[kind][outcome].toLocaleString('en')),
  ]);
  const skipped = findingsByLine(
    report.skipped_lines.map(({ line, reason }) => ({
      line: lineOf(line),
      text: printable(reason),
    })),
  );
  const end = report.dry_run
    ? 'This was a dry run: nothing was changed.'
    : paint('green', 'The import is complete.');
  return [table(['', ...outcomes], rows), ...skipped, end].join('\n');
}

function errorList({ errors = [], message }: Refused, { lineOf }: ImportFile): string {
  const lines = findingsByLine(
    errors.map(({ line = 0, field, detail }) => ({
      line: lineOf(line),
      text: `${printable(`${field.replace(/^\//, '') || 'the line'} ${detail}`)}.`,
    })),
  );
  // The first sentence says how many there are; the rest repeats the first error.
  const [summary] = message.split(/(?<=imported\.) /);
  return [...lines, summary].join('\n');
}

/** Of the lines with the same finding, so many ranges are named; of the others, the number. */
const NAMED_RANGES = 5;

interface LineFinding {
  line: number;
  text: string;
}

/** For people: the same finding about many lines is told once, in the order of the lines that they are about first. */
export function findingsByLine(findings: readonly LineFinding[]): string[] {
  const linesOf = new Map<string, Set<number>>();
  for (const { line, text } of findings) {
    const lines = linesOf.get(text);
    if (lines) lines.add(line);
    else linesOf.set(text, new Set([line]));
  }
  return Array.from(linesOf, ([text, lines]) => `${inWords([...lines])}: ${text}`);
}

function inWords(lines: number[]): string {
  if (lines.length === 1) return `Line ${lines[0]}`;
  const ranges = rangesOf(lines);
  const named = ranges.slice(0, NAMED_RANGES);
  const more = ranges.slice(NAMED_RANGES).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const words = named.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  if (more > 0) words.push(`${more} more`);
  return `Lines ${words.slice(0, -1).join(', ')}${words.length > 1 ? ' and ' : ''}${words.at(-1)}`;
}

function rangesOf(lines: number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const line of lines.sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last.to === line - 1) last.to = line;
    else ranges.push({ from: line, to: line });
  }
  return ranges;
}
