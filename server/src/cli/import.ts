import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ImportReport } from '@bellhop/support-client';
import { Command, Option } from '@commander-js/extra-typings';
import { environmentNames } from '../config/settings.ts';
import { openBackOffice, Refused } from './back-office.ts';
import { CSV_COLUMNS, csvImportLines } from './csv-import.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { backOfficeOption, jsonOption, tokenOption } from './options.ts';
import { paint, printable, progress, table } from './terminal.ts';

export const importCommand = new Command()
  .description(
    `Imports partners, keys with their existing key ids and API keys, grants and midoffices: everything in the file, or nothing. The same file again changes nothing. A file that ends in .csv has one key per row and these columns: ${CSV_COLUMNS.join(', ')}. Any other file is NDJSON: docs/operating/moving-in.md describes the format. Needs a token of role admin.`,
  )
  .argument('<file>', 'the file, or - for NDJSON from the standard input')
  .option('--dry-run', 'report what the import would do, and change nothing')
  .addOption(
    new Option('--environment <name>', 'the environment')
      .choices(environmentNames)
      .default('production'),
  )
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addOption(jsonOption('print the report as JSON'))
  .addHelpText(
    'after',
    examples(
      'bellhop import partners.csv --dry-run',
      'bellhop import partners.csv',
      'bellhop import old-system.ndjson --environment sandbox',
    ),
  )
  .action(async (file, { dryRun = false, environment, json, ...options }) => {
    const backOffice = openBackOffice(options);
    const source = await open(file);
    const path = `/support/v1/${environment}/import${dryRun ? '?dry_run=true' : ''}`;
    const shown = progress();
    const watched = watch(source, shown.show);
    try {
      const report = await backOffice.send<ImportReport>('POST', path, {
        type: 'application/x-ndjson',
        body: watched,
      });
      shown.clear();
      console.log(json ? JSON.stringify(report, null, 2) : describe(report, source));
    } catch (error) {
      shown.clear();
      // What was wrong with the file says more than the request that could not go on.
      if (source.failure) throw source.failure;
      if (!(error instanceof Refused) || !error.errors) throw error;
      if (json) console.log(JSON.stringify(error.problem, null, 2));
      throw new CommandFailed(errorList(error, source));
    }
  });

interface Source {
  chunks: AsyncIterable<Uint8Array>;
  /** Undefined if it is not known. */
  bytes: number | undefined;
  bytesRead(): number;
  /** The line of the file for a line of the import. */
  lineOf(line: number): number;
  failure?: Error;
}

async function open(file: string): Promise<Source> {
  const bytes = file === '-' ? undefined : await sizeOf(file);
  const input = file === '-' ? process.stdin : createReadStream(file);
  let bytesRead = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of input) {
      bytesRead += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
  const known = { bytes, bytesRead: () => bytesRead };
  if (!/\.csv$/i.test(file)) return { ...known, chunks: counted(), lineOf: (line) => line };
  const csvLines: number[] = [];
  return {
    ...known,
    chunks: fromCsv(counted(), csvLines),
    lineOf: (line) => csvLines[line - 1] ?? line,
  };
}

async function sizeOf(file: string): Promise<number> {
  try {
    const { size } = await stat(file);
    return size;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} cannot be read (${code}). Pass the file to import.`);
  }
}

const PART = 65_536;

async function* fromCsv(
  input: AsyncIterable<Buffer>,
  csvLines: number[],
): AsyncGenerator<Uint8Array> {
  let part = '';
  for await (const { csvLine, json } of csvImportLines(decoded(input))) {
    csvLines.push(csvLine);
    part += `${json}\n`;
    if (part.length < PART) continue;
    yield Buffer.from(part);
    part = '';
  }
  yield Buffer.from(part);
}

async function* decoded(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for await (const chunk of input) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFailed(
      'The CSV file is not UTF-8. Save it as "CSV UTF-8" and import it again.',
    );
  }
}

function watch(source: Source, show: (text: string) => void): Readable {
  async function* watched() {
    try {
      for await (const chunk of source.chunks) {
        yield chunk;
        show(`Sending the file … ${shareOf(source)}`);
      }
      show('Checking and storing …');
    } catch (error) {
      source.failure = error as Error;
      throw error;
    }
  }
  return Readable.from(watched(), { objectMode: false });
}

function shareOf({ bytes, bytesRead }: Source): string {
  if (bytes) return `${Math.floor((100 * bytesRead()) / bytes)} %`;
  return `${(bytesRead() / 1_048_576).toFixed(1)} MiB`;
}

function describe(report: ImportReport, { lineOf }: Source): string {
  const kinds = ['partners', 'keys', 'grants', 'midoffices'] as const;
  const outcomes = ['created', 'changed', 'unchanged', 'skipped'] as const;
  const rows = kinds.map((kind) => [
    kind,
    ...outcomes.map((outcome) => report[kind][outcome].toLocaleString('en')),
  ]);
  const skipped = report.skipped_lines.map(
    ({ line, reason }) => `Line ${lineOf(line)}: ${printable(reason)}`,
  );
  const end = report.dry_run
    ? 'This was a dry run: nothing was changed.'
    : paint('green', 'The import is complete.');
  return [table(['', ...outcomes], rows), ...skipped, end].join('\n');
}

function errorList({ errors = [], message }: Refused, { lineOf }: Source): string {
  const lines = errors.map(
    ({ line = 0, field, detail }) =>
      `Line ${lineOf(line)}: ${printable(`${field.replace(/^\//, '') || 'the line'} ${detail}`)}.`,
  );
  // The first sentence says how many there are; the rest repeats the first error.
  const [summary] = message.split(/(?<=imported\.) /);
  return [...lines, summary].join('\n');
}
