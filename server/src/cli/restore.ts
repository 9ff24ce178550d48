/** `bellhop restore`: a backup becomes a new data folder. */
import { Command } from '@commander-js/extra-typings';
import { BackupError } from '../copies/backup/manifest.ts';
import { findBackup } from '../copies/backup/names.ts';
import { restoreBackup } from '../copies/backup/restore-backup.ts';
import { contents, hasKeyFile } from './backup.ts';
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
      const { manifest, keys } = await restoreBackup(backup, into);
      const { contained: master_keys, missing: missing_master_keys } = keys;
      if (json) {
        const restored = { folder: backup, into, ...manifest, master_keys, missing_master_keys };
        console.log(JSON.stringify(restored, null, 2));
        return;
      }
      console.log(contents(manifest));
      console.log(`Restored ${backup}, made at ${manifest.created_at}, to ${into}.`);
      if (!hasKeyFile(manifest)) {
        console.log(
          `The backup has no master key: put it into ${into}/master.key, or set BELLHOP_MASTER_KEY.`,
        );
      } else if (missing_master_keys.length > 0) {
        console.log(
          `The master.key in the backup does not open everything: the databases need the master key ${missing_master_keys.join(', ')}. Set BELLHOP_MASTER_KEY and BELLHOP_PREVIOUS_MASTER_KEYS as they were when the backup was made.`,
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
