/** `bellhop backup`: a checked copy of the embedded databases and secrets, while the server runs. */
import { Command, Option } from '@commander-js/extra-typings';
import { readConfig } from '../base/config/config.ts';
import { MASTER_KEY, type Manifest } from '../operate/backup/manifest.ts';
import { keepNewest } from '../operate/backup/names.ts';
import { takeBackup } from '../operate/backup/take-backup.ts';
import { UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { jsonOption, wholeNumber } from './options.ts';
import { reportProgress, table } from './terminal.ts';

export const backupCommand = new Command()
  .description(
    'Backs up the embedded databases and the generated secrets of BELLHOP_DATA_DIR while Bellhop runs: all databases as they were at one moment, checked by opening them, readable only by you. Databases on PostgreSQL have their own tools (docs/operating/backup.md).',
  )
  .argument(
    '[folder]',
    'where backups are kept, by default the folder in BELLHOP_BACKUP_DIR, or ./backups; each one becomes a folder in it',
  )
  .addOption(
    new Option(
      '--keep <count>',
      'afterwards, delete all but this many of the newest backups in it',
    ).argParser(wholeNumber('--keep', 1, 10_000)),
  )
  .option(
    '--without-secrets',
    'leave out master.key and the admin token, because you keep them elsewhere',
  )
  .addOption(jsonOption('print the manifest of the backup as JSON'))
  .addHelpText('after', examples('bellhop backup', 'bellhop backup /var/backups/bellhop --keep 14'))
  .action(async (folder, { keep, withoutSecrets = false, json }) => {
    const { dataDir, backupDir, environments, ...config } = readConfig(process.env);
    const into = folder ?? backupDir ?? './backups';
    if (environments.every((name) => config[name].databaseUrl)) {
      throw new UsageError(
        'The databases are on PostgreSQL, whose own tools back them up: see docs/operating/backup.md.',
      );
    }
    const report = reportProgress('pages');
    const now = new Date();
    try {
      const { folder, manifest } = await takeBackup({
        ...{ dataDir, into, now, withSecrets: !withoutSecrets, onProgress: report.show },
      });
      report.end();
      console.log(
        json ? JSON.stringify({ folder, ...manifest }, null, 2) : shown(folder, manifest),
      );
      const deleted = keep === undefined ? [] : keepNewest(into, keep, now);
      for (const path of deleted) console.error(`Deleted ${path}, as --keep ${keep} says.`);
    } finally {
      report.end();
    }
  });

function shown(folder: string, manifest: Manifest): string {
  return `${contents(manifest)}\nBacked up to ${folder}. ${aboutMasterKey(manifest)}`;
}

function aboutMasterKey(manifest: Manifest): string {
  const { master_keys, missing_master_keys } = manifest;
  if (!hasKeyFile(manifest)) {
    return 'It does not contain the master key: keep that in a safe place.';
  }
  if (missing_master_keys.length === 0) {
    return 'It contains the master key: keep it where only you can read it.';
  }
  const missing = missing_master_keys.join(', ');
  return master_keys.length === 0
    ? `Its master.key is out of date and opens nothing in it. The databases need the master key ${missing}: keep that in a safe place.`
    : `It contains the master key ${master_keys.join(', ')}, but the databases also need ${missing}: keep that in a safe place.`;
}

export function hasKeyFile({ files }: Manifest): boolean {
  return files.some(({ path }) => path === MASTER_KEY);
}

export function contents({ files }: Manifest): string {
  const rows = files.map(({ path, bytes, counts = {} }) => [
    path,
    bytes.toLocaleString('en'),
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(
        ([name, count]) =>
          `${count.toLocaleString('en')} ${counted(name.replace('_', ' '), count)}`,
      )
      .join(', '),
  ]);
  return table(['file', 'bytes', 'contents'], rows);
}

/** The names of tables are plural. */
function counted(name: string, count: number): string {
  return count === 1 ? name.replace(/ies$/, 'y').replace(/s$/, '') : name;
}
