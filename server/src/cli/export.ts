import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from '@commander-js/extra-typings';
import { environmentNames } from '../config/settings.ts';
import { openBackOffice } from './back-office.ts';
import { CommandFailed, UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { backOfficeOption, tokenOption } from './options.ts';
import { progress } from './terminal.ts';

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
  .addOption(
    new Option('--environment <name>', 'the environment')
      .choices(environmentNames)
      .default('production'),
  )
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
    const path = `/support/v1/${environment}/export${apiKeys ? '?api_keys=true' : ''}`;
    const records = await backOffice.download(path);
    if (file === '-') {
      await copy(records, toStandardOutput());
      return;
    }
    await writeTo(file, records);
    const warning = apiKeys ? ' It holds API keys: keep it secret, and delete it after use.' : '';
    console.log(`Wrote ${file}.${warning}`);
  });

/** Only its owner can read the file. It is new, so that nobody else has it open. */
async function writeTo(file: string, records: AsyncIterable<Uint8Array>): Promise<void> {
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  let isOpen = false;
  target.once('open', () => {
    isOpen = true;
  });
  try {
    await copy(records, target);
  } catch (error) {
    // Part of an export looks like a whole one.
    if (isOpen) await rm(file, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new UsageError(`${file} exists already. Pass another --output.`);
    throw error;
  }
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
