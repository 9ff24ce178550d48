/**
 * Opens databases as the settings say: PostgreSQL if an environment has an address, otherwise the embedded one in the
 * data folder. Each engine is loaded only if it is used.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { type Config, databaseVariable } from '../base/config/config.ts';
import { divideConnections, threadWorkOf } from '../base/config/database-connections.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Vault } from '../base/sealing/vault.ts';
import type { BackOfficeStore } from './back-office/store.ts';
import type { DirectDatabase } from './direct/database.ts';
import { hasDatabase } from './sqlite/known-identity.ts';
import type { Store } from './store.ts';

type DatabaseSettings = Pick<Config, 'dataDir' | EnvironmentName>;
type StoreSettings = DatabaseSettings & Pick<Config, 'roles'>;

interface OpenOptions<Settings = DatabaseSettings> {
  config: Settings;
  clock: Clock;
  log: Log;
  /** Another thread of this process has opened it before, and closes it last. */
  attach?: boolean | undefined;
  /** The database was moved, or the embedded one was deleted or replaced. */
  onDataGone?: ((error: Error) => void) | undefined;
}

/** The store of an environment, and its clock: nodes that share a database also share its clock. */
export async function openStore(
  options: OpenOptions<StoreSettings> & { name: EnvironmentName; vault: Vault },
): Promise<{ store: Store; clock: Clock }> {
  const { config, name: environment, vault, log, attach, onDataGone: onGone } = options;
  const {
    databaseUrl: url,
    databaseDirectUrl: directUrl,
    databaseConnections,
    redisUrl,
    serveWithoutDatabaseMs: serveWithoutMs,
  } = config[environment];
  const common = { environment, vault, log, onGone };
  if (url !== undefined) {
    const { openPostgresStore } = await import('./postgres/open.ts');
    const { DatabaseClock } = await import('./postgres/database-clock.ts');
    const clock = new DatabaseClock(options.clock, log);
    const onTime = clock.learn.bind(clock);
    const works = threadWorkOf(config.roles);
    // The thread that attaches runs the services, beside the partner API.
    const work = attach || !works.includes('calls') ? 'services' : 'calls';
    const store = await openPostgresStore({
      ...{ ...common, url, directUrl, clock, onTime, serveWithoutMs, attach },
      sizes: divideConnections(databaseConnections, works)[work],
      // One thread of a process tells and hears.
      redisUrl: attach ? undefined : redisUrl,
    });
    return { store, clock };
  }
  const { openSqliteStore } = await import('./sqlite/open.ts');
  const folder = join(config.dataDir, environment);
  const { clock } = options;
  return { store: await openSqliteStore({ ...common, folder, clock, attach }), clock };
}

/** The back office's store, beside that of the first of these environments. */
export async function openBackOfficeStore(
  options: OpenOptions & { environments: ReadonlyMap<EnvironmentName, { store: Store }> },
): Promise<BackOfficeStore> {
  const { config, environments, clock, log, attach, onDataGone: onGone } = options;
  const [first] = environments;
  if (!first) throw new Error('a back office without an environment');
  const [homeName, { store: home }] = first;
  const url = directUrlOf(config[homeName]);
  if (url !== undefined) {
    const { openPostgresBackOffice } = await import('./back-office/postgres.ts');
    return openPostgresBackOffice({ url, homeName, home, clock, log, attach });
  }
  const { openSqliteBackOffice } = await import('./back-office/sqlite.ts');
  return openSqliteBackOffice({ dataDir: config.dataDir, homeName, home, clock, attach, onGone });
}

/** The database of an environment for a command; undefined if there is none yet. */
export async function openDirectly(
  config: DatabaseSettings,
  name: EnvironmentName,
  log: Log,
): Promise<DirectDatabase | undefined> {
  const url = directUrlOf(config[name]);
  if (url !== undefined) {
    const { openPostgresDirectly } = await import('./direct/postgres.ts');
    return openPostgresDirectly(url, `The database of ${databaseVariable(name)}`, log);
  }
  const folder = join(config.dataDir, name);
  if (!hasDatabase(folder)) return undefined;
  const { openSqliteDirectly } = await import('./direct/sqlite.ts');
  return openSqliteDirectly(folder);
}

/** PostgreSQL itself, even where nodes use a pooler. */
function directUrlOf({ databaseUrl, databaseDirectUrl }: Config[EnvironmentName]) {
  return databaseDirectUrl ?? databaseUrl;
}
