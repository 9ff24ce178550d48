/** The file that `bellhop import` sends: NDJSON as it is, or CSV as the lines of an import. */
import { type FileHandle, open } from 'node:fs/promises';
import { csvImportLines } from './csv-import.ts';
import { CommandFailed, UsageError } from './failures.ts';

export interface ImportFile {
  /** Rejects with a sentence if the file cannot be read or is not as it must be. */
  chunks: AsyncIterable<Uint8Array>;
  /** Undefined if it is not known. */
  bytes: number | undefined;
  bytesRead(): number;
  /** The line of the file for a line of the import. */
  lineOf(line: number): number;
  /** Also if nothing was read. */
  close(): Promise<void>;
}

export async function openImportFile(file: string): Promise<ImportFile> {
  const opened = file === '-' ? undefined : await openFile(file);
  const input = opened?.createReadStream() ?? process.stdin;
  let bytesRead = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of input) {
        bytesRead += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    } catch (error) {
      throw unreadable(file, error);
    }
  }
  const bytes = opened && (await opened.stat()).size;
  const known = { bytes, bytesRead: () => bytesRead, close: async () => opened?.close() };
  if (!/\.csv$/i.test(file)) return { ...known, chunks: counted(), lineOf: (line) => line };
  const csvLines: number[] = [];
  return {
    ...known,
    chunks: fromCsv(counted(), csvLines),
    lineOf: (line) => csvLines[line - 1] ?? line,
  };
}

/** Before anything is sent. */
async function openFile(file: string): Promise<FileHandle> {
  const opened = await open(file).catch((error) => {
    throw unreadable(file, error);
  });
  if (!(await opened.stat()).isDirectory()) return opened;
  await opened.close();
  throw new UsageError(`${file} is a folder. Pass the file to import.`);
}

function unreadable(file: string, error: unknown): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  return new UsageError(`${file} cannot be read (${code}). Pass the file to import.`);
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
