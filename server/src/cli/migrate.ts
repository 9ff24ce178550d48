/** `bellhop migrate`: brings databases to this release before its first node starts, or tells what that means. */
import { Command } from '@commander-js/extra-typings';
import { type Config, databaseVariable, readConfig } from '../base/config/config.ts';
import { url as address, BadValue } from '../base/config/values.ts';
import { createLog } from '../base/log.ts';
import { migrate, type PlannedStep, planOf, timeOnCopyOf } from '../store/migration-plan.ts';
import { UsageError } from './failures.ts';
import { examples } from './help-style.ts';
import { environmentOption, jsonOption } from './options.ts';
import { table } from './terminal.ts';

export const migrateCommand = new Command()
  .description(
    'Brings the tables of each PostgreSQL database to this release, and ends. Nodes of the release before go on meanwhile. A start does the same; this command does it at a moment that you choose. Embedded databases are migrated by the next start.',
  )
  .option('--plan', 'change nothing; tell which steps are missing, and who waits for each')
  .option(
    '--on-copy <url>',
    'with --plan: migrate this PostgreSQL database, a restored copy that no node uses, and tell how long each step took',
  )
  .addOption(environmentOption('whose copy it is', 'production'))
  .addOption(jsonOption('print the steps as JSON'))
  .addHelpText(
    'after',
    examples(
      'bellhop migrate --plan',
      'bellhop migrate --plan --on-copy postgres://bellhop@db.internal/copy_of_production',
      'bellhop migrate',
    ),
  )
  .action(async ({ plan, onCopy, environment, json }) => {
    if (onCopy !== undefined && !plan) throw new UsageError('--on-copy needs --plan.');
    const config = readConfig(process.env);
    const log = createLog('error');
    try {
      if (onCopy !== undefined) {
        checkAddress(onCopy);
        refuseOwnDatabase(config, onCopy);
        const steps = await timeOnCopyOf(config, environment, onCopy, log);
        print(json, steps, ['migration', 'what', 'took_ms'], 'The copy needs no migration.');
        return;
      }
      const steps: (PlannedStep & { database: string })[] = [];
      for (const name of config.environments) {
        for (const one of await planOf(config, name, log)) steps.push({ database: name, ...one });
      }
      const columns = ['database', 'migration', 'what', 'locks'] as const;
      print(json, steps, columns, 'Every database is of this release.');
      if (plan) return;
      for (const name of config.environments) {
        if (await migrate(config, name, log)) {
          console.error(`${name}: the database is of this release.`);
        }
      }
    } finally {
      await log.end();
    }
  });

function checkAddress(copy: string): void {
  try {
    address('postgres:', 'postgresql:')(copy);
  } catch (error) {
    if (error instanceof BadValue) throw new UsageError(`--on-copy ${error.message}.`);
    throw error;
  }
}

function refuseOwnDatabase(config: Config, copy: string): void {
  for (const name of config.environments) {
    const { databaseUrl, databaseDirectUrl } = config[name];
    if (![databaseUrl, databaseDirectUrl].some((own) => own && placeOf(own) === placeOf(copy))) {
      continue;
    }
    throw new UsageError(`--on-copy must not be the database of ${databaseVariable(name)} itself.`);
  }
}

/** Without user and password, which may differ. */
function placeOf(url: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: url, pathname: '' };
  return host + pathname;
}

function print<Row extends object>(
  json: boolean | undefined,
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  none: string,
): void {
  if (json) console.log(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) console.log(none);
  else
    console.log(
      table(
        [...columns],
        rows.map((row) => columns.map((name) => String(row[name]))),
      ),
    );
}
