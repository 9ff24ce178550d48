/** The common case of an import: a table with one key per row becomes the lines of an import. */
import { type CsvRow, csvRows } from './csv-rows.ts';
import { CommandFailed } from './failures.ts';

type Read = (text: string) => unknown;

const text: Read = (cell) => cell;
const list: Read = (cell) => cell.split(/[\s;|]+/).filter((one) => one !== '');

/** The columns of a partner; the first row of each partner counts. */
const PARTNER: Record<string, Read> = {
  integration_started_on: text,
  is_new: flag,
  suspended: flag,
  certified_at: text,
  certification_reference: text,
};

const KEY: Record<string, Read> = {
  key_id: text,
  api_key: text,
  label: text,
  expires_at: text,
  allowed_ips: list,
  disabled: flag,
  endpoints: list,
};

/** `partner` is the partner's name, and its ref too unless there is a `partner_ref`. */
const OWN = ['partner', 'partner_ref'];
export const CSV_COLUMNS = [...OWN, ...Object.keys(KEY), ...Object.keys(PARTNER)];
const REQUIRED = ['partner', 'key_id', 'api_key'];

export interface CsvLine {
  /** The line of the CSV file that it comes from. */
  csvLine: number;
  json: string;
}

export async function* csvImportLines(chunks: AsyncIterable<string>): AsyncGenerator<CsvLine> {
  const rows = csvRows(chunks);
  const { value: head, done } = await rows.next();
  if (done)
    throw new CommandFailed(`The CSV file is empty. Its first row names the columns: ${NAMES}.`);
  const columns = columnsIn(head);
  const partners = new Map<string, string>();
  for await (const row of rows) {
    const cells = cellsOf(row, columns);
    const name = cells.get('partner') ?? '';
    const ref = cells.get('partner_ref') || name;
    const partner = JSON.stringify({ kind: 'partner', ref, name, ...read(PARTNER, cells) });
    const known = partners.get(ref);
    if (known === undefined) {
      partners.set(ref, partner);
      yield { csvLine: row.line, json: partner };
    } else if (known !== partner) {
      throw new CommandFailed(
        `Line ${row.line} of the CSV file says something else about the partner "${ref}" than an earlier line. All rows of a partner must agree.`,
      );
    }
    const key = { kind: 'key', partner_ref: ref, ...read(KEY, cells) };
    yield { csvLine: row.line, json: JSON.stringify(key) };
  }
}

const NAMES = CSV_COLUMNS.join(', ');

function columnsIn({ cells }: CsvRow): string[] {
  const columns = cells.map((cell) => cell.toLowerCase());
  const unknown = columns.find((column) => !CSV_COLUMNS.includes(column));
  if (unknown !== undefined) {
    throw new CommandFailed(`The CSV file has a column "${unknown}". It may have ${NAMES}.`);
  }
  const missing = REQUIRED.find((column) => !columns.includes(column));
  if (missing !== undefined) {
    throw new CommandFailed(
      `The CSV file has no column "${missing}". Its first row names the columns.`,
    );
  }
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw new CommandFailed(`The CSV file has two columns "${twice}".`);
  return columns;
}

function cellsOf({ line, cells }: CsvRow, columns: readonly string[]): Map<string, string> {
  if (cells.length > columns.length) {
    throw new CommandFailed(
      `Line ${line} of the CSV file has ${cells.length} cells, but there are ${columns.length} columns.`,
    );
  }
  return new Map(columns.map((column, index) => [column, cells[index] ?? '']));
}

/** An empty cell says nothing. */
function read(fields: Record<string, Read>, cells: Map<string, string>): object {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const cell = cells.get(name) ?? '';
      return cell === '' ? [] : [[name, value(cell)]];
    }),
  );
}

/** Anything else stays as it is: the server refuses it together with everything else that is wrong. */
function flag(cell: string): boolean | string {
  if (/^(true|yes|1)$/i.test(cell)) return true;
  return /^(false|no|0)$/i.test(cell) ? false : cell;
}
