/** What a start of this release would do to the tables of all databases, on which copy it was tried, and doing it. */
import { join } from 'node:path';
import { type Config, databaseVariable } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import { backOfficeFile } from './back-office/sqlite.ts';
import type { PlannedStep } from './planned-steps.ts';
import { migratePostgres } from './postgres/migrating.ts';
import { planPostgres, type TimedStep, timeOnCopy } from './postgres/migration-plan.ts';
import { hasDatabase } from './sqlite/known-identity.ts';
import { planEmbedded } from './sqlite/migration-plan.ts';
import { backOfficeTables, environmentTables, type TableSet } from './table-sets.ts';

export type { PlannedStep };

export function planOf(config: Config, name: EnvironmentName, log: Log): Promise<PlannedStep[]> {
  const url = config[name].databaseDirectUrl ?? config[name].databaseUrl;
  const where = `The database of ${databaseVariable(name)}`;
  return onBoth(config, name, async (tables) => {
    if (url !== undefined) return planPostgres(url, tables, log, where);
    const folder = join(config.dataDir, name);
    const isOfBackOffice = tables === backOfficeTables;
    const file = isOfBackOffice ? backOfficeFile(config.dataDir, name) : join(folder, 'bellhop.db');
    return hasDatabase(folder) ? planEmbedded(file, tables) : [];
  });
}

/** Migrates a copy of an environment's database, and tells how long each step took. */
export function timeOnCopyOf(
  config: Config,
  name: EnvironmentName,
  copy: string,
  log: Log,
): Promise<TimedStep[]> {
  return onBoth(config, name, (tables) => timeOnCopy(copy, tables, log));
}

/** False if the database is embedded: the next start migrates it. */
export async function migrate(config: Config, name: EnvironmentName, log: Log): Promise<boolean> {
  const url = config[name].databaseDirectUrl ?? config[name].databaseUrl;
  if (url === undefined) return false;
  await onBoth(config, name, async (tables) => {
    await migratePostgres({ url, environment: name, log }, tables);
    return [];
  });
  return true;
}

/** The back office is in the database of the first environment. */
async function onBoth<T>(
  { environments }: Config,
  name: EnvironmentName,
  work: (tables: TableSet) => Promise<T[]>,
): Promise<T[]> {
  const isHome = name === environments[0];
  return [...(await work(environmentTables)), ...(isHome ? await work(backOfficeTables) : [])];
}
