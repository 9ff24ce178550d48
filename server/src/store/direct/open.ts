import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import { hasDatabase } from '../sqlite/known-identity.ts';
import type { DirectDatabase } from './database.ts';

/** The database that the settings give an environment; undefined if there is none yet. */
export async function openDirectly(
  config: Config,
  name: EnvironmentName,
  log: Log,
): Promise<DirectDatabase | undefined> {
  const { databaseUrl } = config[name];
  // Each engine is loaded only if it is used.
  if (databaseUrl !== undefined) {
    const { openPostgresDirectly } = await import('./postgres.ts');
    const where = `The database of BELLHOP_${name.toUpperCase()}_DATABASE_URL`;
    return openPostgresDirectly(databaseUrl, where, log);
  }
  const folder = join(config.dataDir, name);
  if (!hasDatabase(folder)) return undefined;
  const { openSqliteDirectly } = await import('./sqlite.ts');
  return openSqliteDirectly(folder);
}
