/** The history of calls of processes that are killed. They write it every ten seconds. */
import { describe, expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { newMasterKey } from '../testing/settings.ts';
import { OVERVIEW } from './granted-keys.ts';
import { sumsOf } from './usage-sums.ts';
import { call } from './wire.ts';

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

function tests(newSettings: () => Promise<Record<string, string>>): void {
  test('loses at most the last seconds to kill -9', async () => {
    const settings = { BELLHOP_ENVIRONMENTS: 'sandbox', ...(await newSettings()) };
    const victim = await spawnBellhop(settings);
    const key = await victim.newKey('sandbox');
    for (let i = 0; i < 5; i++) await call(victim.addresses.sandbox, key);
    await eventually(
      () => sumsOf(victim, key.keyId),
      (sums) => sums[OVERVIEW]?.admitted === 5,
    );
    await call(victim.addresses.sandbox, key);
    await victim.kill();
    const next = await spawnBellhop(settings);
    const kept = (await sumsOf(next, key.keyId))[OVERVIEW]?.admitted ?? 0;
    expect(kept).toBeGreaterThanOrEqual(5);
    await call(next.addresses.sandbox, key);
    // An orderly stop writes at once.
    await next.stop();
    const last = await startBellhop(settings);
    expect((await sumsOf(last, key.keyId))[OVERVIEW]?.admitted).toBe(kept + 1);
  });
}
