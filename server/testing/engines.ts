/** Whole-system tests that must pass on both engines. */
import { afterAll, beforeAll, describe } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { helpersOf, startBellhop, startHere, type TestBellhop } from './bellhop.ts';
import { newMasterKey } from './settings.ts';

/** For tests that do not call the partner API. */
export const BACK_OFFICE_ONLY = { BELLHOP_ROLES: 'back-office' };
/** And none of the sandbox, which takes a database of its own. */
export const PRODUCTION_ONLY = { ...BACK_OFFICE_ONLY, BELLHOP_ENVIRONMENTS: 'production' };

type Settings = Record<string, string>;

/** A server for one test. */
type Start = (settings?: Settings) => Promise<TestBellhop>;
/** One server for a group of tests that do not depend on each other. */
type Share = (settings?: Settings) => () => TestBellhop;

export function describeOnEachEngine(
  name: string,
  body: (start: Start, share: Share) => void,
): void {
  describe(`${name}, embedded`, () => body(startBellhop, shareBellhop));
  describeWithPostgres(`${name}, on PostgreSQL`, (_empty, databaseWithTables) => {
    const onPostgres = async (settings: Settings = {}) => ({
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      ...(settings.BELLHOP_ENVIRONMENTS === undefined && {
        BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables(),
      }),
      BELLHOP_MASTER_KEY: newMasterKey(),
      ...settings,
    });
    body(
      async (settings) => startBellhop(await onPostgres(settings)),
      (settings) => shareBellhop(() => onPostgres(settings)),
    );
  });
}

/** On the embedded engine: for what is refused or decided before a database is asked. */
export function sharedBackOffice(settings: Settings = BACK_OFFICE_ONLY): () => TestBellhop {
  return shareBellhop(settings);
}

function shareBellhop(settings: Settings | (() => Promise<Settings>) = {}): () => TestBellhop {
  let bellhop: TestBellhop | undefined;
  beforeAll(async () => {
    const given = typeof settings === 'function' ? await settings() : settings;
    const running = await startHere(given);
    bellhop = helpersOf(running);
  });
  afterAll(() => bellhop?.stop());
  return () => bellhop as TestBellhop;
}

/** Settings of a sandbox with fresh data. A process that starts again with them finds what the one before has left. */
export type NewSettings = () => Promise<Settings>;

/** For tests that start processes themselves, and kill them. */
export function describeSettingsOfEachEngine(tests: (newSettings: NewSettings) => void): void {
  describe('embedded database', () => {
    tests(async () => ({ BELLHOP_DATA_DIR: await temporaryFolder() }));
  });
  describeWithPostgres('PostgreSQL', (_empty, databaseWithTables) => {
    tests(async () => ({
      BELLHOP_DATA_DIR: await temporaryFolder(),
      BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
    }));
  });
}
