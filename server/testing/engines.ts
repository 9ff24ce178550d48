/** For tests of the whole server that must hold on either engine. */
import { randomBytes } from 'node:crypto';
import { describe } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { startBellhop, type TestBellhop } from './bellhop.ts';

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
