/** `bellhop restore`: a backup becomes a new data folder. */
import { Command } from '@commander-js/extra-typings';
import { BackupError } from '../backup/backup-error.ts';
import { findBackup } from '../backup/names.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { contents } from './backup.ts';
import { CommandFailed } from './failures.ts';
import { examples } from './help-style.ts';
import { jsonOption } from './options.ts';

export const restoreCommand = new Command()
  .description(
    'Restores a backup of "bellhop backup" into a new data folder. It checks every file before it writes anything, and refuses a folder that is not empty.',
  )
  .argument('<folder>', 'the backup, or a folder of backups, of which it takes the latest')
  .requiredOption('--into <folder>', 'the new data folder, which must not exist or be empty')
  .addOption(jsonOption('print what was restored as JSON'))
  .addHelpText(
    'after',
    examples(
      'bellhop restore backups --into data',
      'bellhop restore backups/bellhop-2026-11-16T02-00-00-000Z --into /var/lib/bellhop',
    ),
  )
  .action(async (folder, { into, json }) => {
    try {
      const backup = findBackup(folder);
      const { manifest, hasMasterKey } = await restoreBackup(backup, into);
      if (json) {
        console.log(JSON.stringify({ folder: backup, into, ...manifest }, null, 2));
        return;
      }
      console.log(contents(manifest));
      console.log(`Restored ${backup}, made at ${manifest.created_at}, to ${into}.`);
      if (!hasMasterKey) {
        console.log(
          `The backup has no master key: put it into ${into}/master.key, or set BELLHOP_MASTER_KEY.`,
        );
      }
      console.log(
        'Everything since then is missing: see "After a restore" in docs/operating/backup.md.',
      );
    } catch (error) {
      if (error instanceof BackupError) throw new CommandFailed(error.message);
      throw error;
    }
  });
