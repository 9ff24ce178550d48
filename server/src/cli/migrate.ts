/** `bellhop migrate`: brings databases to this release before its first node starts, or tells what that means. */
import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { type Config, databaseVariable, readConfig } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { url as address, BadValue } from '../base/config/values.ts';
import { createLog, type Log } from '../base/log.ts';
import { backOfficeFile } from '../store/back-office/sqlite.ts';
import type { PlannedStep } from '../store/migration-plan.ts';
import { migratePostgres } from '../store/postgres/migrating.ts';
import { planPostgres, timeOnCopy } from '../store/postgres/migration-plan.ts';
import { hasDatabase } from '../store/sqlite/known-identity.ts';
import { planEmbedded } from '../store/sqlite/migration-plan.ts';
import { backOfficeTables, environmentTables, type TableSet } from '../store/table-sets.ts';
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
        const steps = await onBoth(config, environment, (tables) =>
          timeOnCopy(onCopy, tables, log),
        );
        print(json, steps, ['migration', 'what', 'took_ms'], 'The copy needs no migration.');
        return;
      }
      const steps: (PlannedStep & { database: string })[] = [];
      for (const name of config.environments) {
        for (const one of await planOf(config, name, log)) steps.push({ database: name, ...one });
      }
      const columns = ['database', 'migration', 'what', 'locks'] as const;
      print(json, steps, columns, 'Every database is of this release.');
      if (!plan) await migrateAll(config, log);
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

/** The back office is in the database of the first environment. */
async function onBoth<T>(
  { environments }: Config,
  environment: EnvironmentName,
  work: (tables: TableSet) => Promise<T[]>,
): Promise<T[]> {
  const isHome = environment === environments[0];
  return [...(await work(environmentTables)), ...(isHome ? await work(backOfficeTables) : [])];
}

async function planOf(config: Config, name: EnvironmentName, log: Log): Promise<PlannedStep[]> {
  const url = config[name].databaseDirectUrl ?? config[name].databaseUrl;
  const where = `The database of ${databaseVariable(name)}`;
  return onBoth(config, name, async (tables) => {
    if (url !== undefined) return planPostgres(url, tables, log, where);
    const isOfBackOffice = tables === backOfficeTables;
    const file = isOfBackOffice
      ? backOfficeFile(config.dataDir, name)
      : join(config.dataDir, name, 'bellhop.db');
    return hasDatabase(join(config.dataDir, name)) ? planEmbedded(file, tables) : [];
  });
}

async function migrateAll(config: Config, log: Log): Promise<void> {
  for (const environment of config.environments) {
    const url = config[environment].databaseDirectUrl ?? config[environment].databaseUrl;
    if (url === undefined) continue;
    await onBoth(config, environment, async (tables) => {
      await migratePostgres({ url, environment, log }, tables);
      return [];
    });
    console.error(`${environment}: the database is of this release.`);
  }
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
