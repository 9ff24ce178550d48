/**
 * Reads CSV as RFC 4180 has it, a row at a time: quoted cells may hold separators, quotes and line breaks. Files of
 * spreadsheets with semicolons are read as well.
 */
import { CommandFailed } from './failures.ts';

export interface CsvRow {
  /** The line of the file on which the row starts. */
  line: number;
  cells: string[];
}

/** No real row is that long; a quote that is never closed would otherwise take in the whole file. */
const LONGEST_ROW = 131_072;

export async function* csvRows(chunks: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const reader = new CsvReader();
  for await (const chunk of chunks) yield* reader.read(chunk);
  yield* reader.end();
}

class CsvReader {
  #separator: string | undefined;
  #line = 1;
  #startLine = 1;
  #cells: string[] = [];
  #cell = '';
  #rowLength = 0;
  /** `closed`: after the quote that may end a quoted cell. */
  #state: 'plain' | 'quoted' | 'closed' = 'plain';
  /** The first row, until it shows the separator. */
  #head: string | undefined = '';

  *read(chunk: string): Generator<CsvRow> {
    let text = chunk;
    if (this.#head !== undefined) {
      this.#head += chunk;
      if (!this.#head.includes('\n') && this.#head.length <= LONGEST_ROW) return;
      text = this.#begin();
    }
    for (const character of text) yield* this.#take(character);
  }

  *end(): Generator<CsvRow> {
    if (this.#head !== undefined) {
      for (const character of this.#begin()) yield* this.#take(character);
    }
    if (this.#state === 'quoted') this.#fail('a quote is never closed');
    if (this.#cells.length > 0 || this.#cell !== '') yield* this.#endRow();
  }

  #begin(): string {
    const text = (this.#head ?? '').replace(/^\ufeff/, '');
    this.#head = undefined;
    const [first = ''] = text.split('\n', 1);
    this.#separator = first.includes(';') && !first.includes(',') ? ';' : ',';
    return text;
  }

  *#take(character: string): Generator<CsvRow> {
    if (++this.#rowLength > LONGEST_ROW) this.#fail('the row is longer than 128 KiB');
    if (character === '\n') this.#line++;
    if (this.#state === 'quoted') {
      if (character === '"') this.#state = 'closed';
      else this.#cell += character;
    } else if (character === '"' && this.#state === 'closed') {
      this.#cell += '"';
      this.#state = 'quoted';
    } else if (character === this.#separator) {
      this.#endCell();
    } else if (character === '\n') {
      yield* this.#endRow();
    } else if (character === '"' && this.#cell === '') {
      this.#state = 'quoted';
    } else if (character !== '\r') {
      if (this.#state === 'closed') this.#fail('text follows a closing quote');
      this.#cell += character;
    }
  }

  #endCell(): void {
    this.#cells.push(this.#cell.trim());
    this.#cell = '';
    this.#state = 'plain';
  }

  /** Empty lines are left out. */
  *#endRow(): Generator<CsvRow> {
    this.#endCell();
    const row = { line: this.#startLine, cells: this.#cells };
    this.#cells = [];
    this.#rowLength = 0;
    this.#startLine = this.#line;
    if (row.cells.some((cell) => cell !== '')) yield row;
  }

  #fail(reason: string): never {
    throw new CommandFailed(`Line ${this.#startLine} of the CSV file: ${reason}. Correct it.`);
  }
}
