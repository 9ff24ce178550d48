/** For tests of the whole server that must hold on either engine. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { start } from '../src/main.ts';
import {
  type Addresses,
  settingsForTest,
  startBellhop,
  type TestBellhop,
  withHelpers,
} from './bellhop.ts';

/** For tests that call no partner API: without it there is no second thread, which is quicker. */
export const BACK_OFFICE_ONLY = { BELLHOP_ROLES: 'back-office' };

type Start = (settings?: Record<string, string>) => Promise<TestBellhop>;

export function describeOnEachEngine(name: string, body: (start: Start) => void): void {
  describe(`${name}, embedded`, () => body(startBellhop));
  describeWithPostgres(`${name}, on PostgreSQL`, (freshDatabase) => {
    body(async (settings) =>
      startBellhop({
        BELLHOP_PRODUCTION_DATABASE_URL: await freshDatabase(),
        BELLHOP_SANDBOX_DATABASE_URL: await freshDatabase(),
        BELLHOP_MASTER_KEY: randomBytes(32).toString('base64'),
        ...settings,
      }),
    );
  });
}

/** One server for a group of tests none of which minds what the others have done to it. */
export function sharedBackOffice(): () => TestBellhop {
  let bellhop: TestBellhop | undefined;
  beforeAll(async () => {
    const running = await start(await settingsForTest(BACK_OFFICE_ONLY), () => {});
    bellhop = withHelpers(running.addresses as unknown as Addresses, running.stop);
  });
  afterAll(() => bellhop?.stop());
  return () => bellhop as TestBellhop;
}
