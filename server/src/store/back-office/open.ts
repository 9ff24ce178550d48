import type { Clock } from '../../clock.ts';
import type { Config } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../store.ts';
import type { BackOfficeStore } from './store.ts';

/** Opens the back office's store beside that of the first of these environments. */
export async function openBackOfficeStore(options: {
  config: Pick<Config, 'dataDir' | EnvironmentName>;
  environments: ReadonlyMap<EnvironmentName, { store: Store }>;
  clock: Clock;
  log: Log;
  /** Another thread of this process has opened it before. */
  attach?: boolean;
  /** The embedded file was deleted, moved or replaced. */
  onDataGone?: (error: Error) => void;
}): Promise<BackOfficeStore> {
  const { config, environments, clock, log, attach = false, onDataGone } = options;
  const [first] = environments;
  if (!first) throw new Error('a back office without an environment');
  const [homeName, { store: home }] = first;
  const { databaseUrl } = config[homeName];
  // Each engine is loaded only where it is used.
  if (databaseUrl) {
    const { openPostgresBackOffice } = await import('./postgres.ts');
    const where = `The database of BELLHOP_${homeName.toUpperCase()}_DATABASE_URL`;
    return openPostgresBackOffice({ url: databaseUrl, where, home, clock, log, attach });
  }
  const { openSqliteBackOffice } = await import('./sqlite.ts');
  const { dataDir } = config;
  return openSqliteBackOffice({ dataDir, homeName, home, clock, attach, onGone: onDataGone });
}
