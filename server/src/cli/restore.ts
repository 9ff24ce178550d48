/** `bellhop restore`: a backup becomes a new data folder. */
import { Command } from '@commander-js/extra-typings';
import { findBackup } from '../operate/backup/names.ts';
import { type Comparison, restoreBackup } from '../operate/backup/restore-backup.ts';
import { contents, hasKeyFile } from './backup.ts';
import { examples } from './help-style.ts';
import { when } from './moments.ts';
import { jsonOption } from './options.ts';
import { jsonText, printable, table } from './terminal.ts';

export const restoreCommand = new Command()
  .description(
    'Restores a backup of "bellhop backup" into a new data folder. It checks every file before it writes anything, and refuses a folder that is not empty.',
  )
  .argument('<folder>', 'the backup, or a folder of backups, of which it takes the latest')
  .requiredOption('--into <folder>', 'the new data folder, which must not exist or be empty')
  .option(
    '--replaces <folder>',
    'the data folder that the new one replaces, to list the keys and tokens that were ended in it since; by default, the latest backup beside this one',
  )
  .addOption(jsonOption('print what was restored as JSON'))
  .addHelpText(
    'after',
    examples(
      'bellhop restore backups --into data --replaces data.old',
      'bellhop restore backups/bellhop-2026-11-16T02-00-00-000Z --into /var/lib/bellhop',
    ),
  )
  .action(async (folder, { into, replaces, json }) => {
    const backup = findBackup(folder);
    const { manifest, keys, compared } = await restoreBackup(backup, into, {
      replaced: replaces,
    });
    const { contained: master_keys, missing: missing_master_keys } = keys;
    if (json) {
      const restored = {
        ...{ folder: backup, into, ...manifest, master_keys, missing_master_keys },
        compared_with: compared?.with ?? null,
        comparison_failure: compared?.failure ?? null,
        brought_back: compared?.found ?? null,
      };
      console.log(jsonText(restored, 2));
      return;
    }
    console.log(contents(manifest));
    console.log(`Restored ${backup}, made at ${when(manifest.created_at)}, to ${into}.`);
    if (!hasKeyFile(manifest)) {
      console.log(
        `The backup has no master key: put it into ${into}/master.key, or set BELLHOP_MASTER_KEY.`,
      );
    } else if (missing_master_keys.length > 0) {
      console.log(
        `The master.key in the backup does not open everything: the databases need the master key ${missing_master_keys.join(', ')}. Set BELLHOP_MASTER_KEY and BELLHOP_PREVIOUS_MASTER_KEYS as they were when the backup was made.`,
      );
    }
    console.log(aboutEnded(compared));
    console.log(
      'Everything since then is missing: see "After a restore" in docs/operating/backup.md.',
    );
  });

function aboutEnded(compared: Comparison | undefined): string {
  const signIns =
    'All sessions and one-time links that were in it have ended: people sign in again.';
  if (!compared) {
    return `${signIns} Keys and tokens that were ended since then work again. To list them, restore with --replaces and the old data folder.`;
  }
  const { with: newer, found, failure } = compared;
  if (failure !== undefined) {
    return `${signIns} Keys and tokens that were ended since then work again. They cannot be listed, because ${newer} cannot be read (${failure}).`;
  }
  if (found.length === 0) {
    return `${signIns} As far as ${newer} tells, no key or token was ended since then.`;
  }
  const rows = found.map(({ environment, kind, id, name, because }) => [
    ...[environment, kind, id, printable(name ?? ''), because],
  ]);
  return `${signIns}\nThese work again, as far as ${newer} tells. End them again before you let anybody in:\n${table(['environment', 'what', 'id', 'name', 'was'], rows)}`;
}
