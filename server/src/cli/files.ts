/** `bellhop files`: what an operator needs beside the program, which a package manager puts out of sight. */
import { cpSync, existsSync, globSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { ConfigError } from '../base/config/config.ts';
import { createFolders } from '../base/folders.ts';
import { examples } from './help-style.ts';
import { jsonOption } from './options.ts';
import { jsonText } from './terminal.ts';

/** The repository, or the installed package: the folders in both are the same. */
const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Each keeps its path, so that the pages' links to each other and to these files work. */
export const FILES = [
  'deploy/systemd/*',
  'deploy/prometheus/alerts.yml',
  'deploy/prometheus/prometheus.yml',
  'deploy/grafana/*.json',
  'docs/**/*.md',
  'docs/images/*',
  'docs/openapi/*.json',
  'docs/partner-guide/snippets/**/*',
];

export const filesCommand = new Command()
  .description(
    'Writes the files that operators install or read into a folder: the units of systemd, the alert rules, the dashboard for Grafana, and the documentation. Messages of Bellhop that name a page, such as docs/operating/backup.md, mean these.',
  )
  .argument('<folder>', 'a folder that does not exist yet or is empty')
  .addOption(jsonOption('print the names of the files as JSON'))
  .addHelpText(
    'after',
    examples(
      'bellhop files bellhop-files',
      'sudo cp bellhop-files/deploy/systemd/* /etc/systemd/system/',
    ),
  )
  .action((folder, { json }) => {
    const files = globSync(FILES, { cwd: ROOT, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
      .sort();
    write(folder, files);
    const places = 'deploy/systemd, deploy/prometheus, deploy/grafana and docs';
    console.log(json ? jsonText(files, 2) : `Wrote ${files.length} files to ${folder}: ${places}.`);
  });

function write(folder: string, files: readonly string[]): void {
  try {
    if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error('it is not empty');
    for (const file of files) {
      createFolders(dirname(join(folder, file)));
      cpSync(join(ROOT, file), join(folder, file));
    }
  } catch (error) {
    throw new ConfigError(
      `The files cannot be written to ${folder} (${(error as Error).message}); name a folder that does not exist yet.`,
    );
  }
}
