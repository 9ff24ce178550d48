import { existsSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from '@commander-js/extra-typings';
import { openBackOffice } from './back-office.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { backOfficeOption, environmentOption, tokenOption } from './options.ts';
import { forTerminal, printableJson, progress } from './terminal.ts';

export const exportCommand = new Command()
  .description(
    'Exports partners, keys, grants and midoffices as NDJSON, which "bellhop import" takes. Without --api-keys, the API keys are left out and the export goes to the standard output. With them, it goes to a file that only you can read. Needs a token of role admin.',
  )
  .option('--api-keys', 'include the API keys; the audit records it')
  .addOption(
    new Option('--output <file>', 'a new file to write to, or - for the standard output').default(
      undefined,
      'the standard output; with --api-keys bellhop-<environment>-<day>.ndjson',
    ),
  )
  .addOption(environmentOption('the environment', 'production'))
  .addOption(backOfficeOption)
  .addOption(tokenOption)
  .addHelpText(
    'after',
    examples(
      'bellhop export > partners.ndjson',
      'bellhop export --api-keys --output production.ndjson',
    ),
  )
  .action(async ({ apiKeys = false, output, environment, ...options }) => {
    const backOffice = openBackOffice(options);
    const day = new Date().toISOString().slice(0, 10);
    const file = output ?? (apiKeys ? `bellhop-${environment}-${day}.ndjson` : '-');
    const download = () =>
      backOffice.download('exportRecords', {
        environment,
        query: apiKeys ? { api_keys: 'true' } : {},
      });
    if (file === '-') {
      await copy(forTerminal(await download(), printableJson), toStandardOutput());
      return;
    }
    await writeTo(file, download);
    const warning = apiKeys ? ' It holds API keys: keep it secret, and delete it after use.' : '';
    console.log(`Wrote ${file}.${warning}`);
  });

/**
 * Only its owner can read the file. Part of an export looks like a whole one, so it has another name until it is
 * complete. The file is opened before the download, which the audit records if it has API keys.
 */
async function writeTo(
  file: string,
  download: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<void> {
  const partial = `${file}.partial`;
  const target = await openNew(file, partial);
  const remove = () => rmSync(partial, { force: true });
  const forget = onSignal(remove);
  try {
    await copy(await download(), target.createWriteStream({ flush: true }));
    await rename(partial, file);
  } catch (error) {
    await target.close().catch(() => {});
    remove();
    throw error;
  } finally {
    forget();
  }
}

async function openNew(file: string, partial: string): Promise<FileHandle> {
  if (existsSync(file)) throw new UsageError(`${file} exists already. Pass another --output.`);
  return open(partial, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EEXIST') {
      throw new UsageError(`${partial} cannot be written (${code}). Pass another --output.`);
    }
    throw new UsageError(
      `${partial} exists already: another export is writing it, or one was killed. Delete it, or pass another --output.`,
    );
  });
}

/** Runs this before a signal ends the process. Returns how to forget about it. */
function onSignal(cleanUp: () => void): () => void {
  const end = (signal: NodeJS.Signals) => {
    cleanUp();
    forget();
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const forget = () => {
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return forget;
}

async function copy(records: AsyncIterable<Uint8Array>, target: Writable): Promise<void> {
  const shown = progress();
  let bytes = 0;
  try {
    await pipeline(async function* () {
      for await (const chunk of records) {
        bytes += chunk.length;
        shown.show(`${(bytes / 1_048_576).toFixed(1)} MiB …`);
        yield chunk;
      }
    }, target);
  } catch (error) {
    if ((error as Error).name !== 'TypeError') throw error;
    throw new CommandFailed('The connection to the back office broke off. Export again.');
  } finally {
    shown.clear();
  }
}

/** `pipeline` would close the standard output itself. */
function toStandardOutput(): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      process.stdout.write(chunk, done);
    },
  });
}
