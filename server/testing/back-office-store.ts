/** The back office's store on either engine, with the store of the environment beside which it is opened. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { dataFolder, describeWithPostgres } from '../../test/support.ts';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config/config.ts';
import { createLogger } from '../src/base/logging/logger.ts';
import { Vault } from '../src/base/sealing/vault.ts';
import type { BackOfficeStore } from '../src/store/back-office/store.ts';
import { openBackOfficeStore } from '../src/store/open.ts';
import { openPostgresStore } from '../src/store/postgres/open.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';

const log = createLogger('silent', () => {});
const masterKey = randomBytes(32);

/** One back office; on PostgreSQL it can be opened as often as there are nodes. */
export interface BackOfficePlace {
  engine: Store['engine'];
  /** Closed after the test, if not before. */
  open(clock?: Clock): Promise<OpenBackOffice>;
}

export interface OpenBackOffice {
  store: BackOfficeStore;
  home: Store;
  close(): Promise<void>;
}

export function describeOnEachBackOffice(
  name: string,
  body: (freshPlace: () => Promise<BackOfficePlace>) => void,
): void {
  describe(`${name}, embedded`, () => body(async () => placeIn(await dataFolder())));
  describeWithPostgres(`${name}, on PostgreSQL`, (_empty, databaseWithTables) =>
    body(async () => placeAt(await databaseWithTables())),
  );
}

/** `vault` is the one that the store was created with. */
export function placeIn(
  dataDir: string,
  vault = new Vault(masterKey, 'production'),
): BackOfficePlace {
  const config = readConfig({ BELLHOP_DATA_DIR: dataDir });
  const folder = join(dataDir, 'production');
  return placeOf('sqlite', config, (clock) =>
    openSqliteStore({ folder, environment: 'production', vault, clock, log }),
  );
}

export function placeAt(url: string, vault = new Vault(masterKey, 'production')): BackOfficePlace {
  const config = readConfig({
    BELLHOP_PRODUCTION_DATABASE_URL: url,
    BELLHOP_MASTER_KEY: masterKey.toString('base64'),
  });
  return placeOf('postgres', config, (clock) =>
    openPostgresStore({ url, environment: 'production', vault, clock, log }),
  );
}

function placeOf(
  engine: Store['engine'],
  config: ReturnType<typeof readConfig>,
  openHome: (clock: Clock) => Promise<Store>,
): BackOfficePlace {
  return {
    engine,
    async open(clock = systemClock) {
      const home = await openHome(clock);
      let open = true;
      const close = async () => {
        if (!open) return;
        open = false;
        await store?.close();
        await home.close();
      };
      let store: BackOfficeStore | undefined;
      onTestFinished(close);
      const environments = new Map([['production' as const, { store: home }]]);
      store = await openBackOfficeStore({ config, environments, clock, log });
      return { store, home, close };
    },
  };
}
