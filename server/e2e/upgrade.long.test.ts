/**
 * What docs/operating/upgrading.md says of an upgrade of several nodes. The next release is this one with a migration
 * (torture/single-faults/next-release.ts). `npm run torture -- --fault rolling-upgrade` measures it under load.
 */
import { expect, test } from 'vitest';
import { allAre, newAgency, report } from '../../console/e2e/agency.ts';
import { describeWithPostgres } from '../../test/support.ts';
import { spawnBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { newMasterKey } from '../testing/settings.ts';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { refusedStart } from './refused-start.ts';

const NEXT_RELEASE = {
  NODE_OPTIONS: `--import=${new URL('../../torture/single-faults/next-release.ts', import.meta.url)}`,
};

describeWithPostgres('an upgrade of several nodes', (empty) => {
  test('lets old and new nodes work side by side, and no old one start again', async () => {
    const settings = {
      BELLHOP_ENVIRONMENTS: 'production',
      BELLHOP_PRODUCTION_DATABASE_URL: await empty(),
      BELLHOP_PRODUCTION_RECEIVER_ALLOW: '127.0.0.0/8',
      BELLHOP_MASTER_KEY: newMasterKey(),
    };
    const old = await spawnBellhop(settings);
    const receiver = await startReceiver();
    const agency = await newAgency(old.support, receiver.url);
    const next = await spawnBellhop({ ...settings, ...NEXT_RELEASE });

    for (const node of [old, next]) {
      expect(await overviewOf(node, agency)).toBe(200);
      expect((await fetch(`${node.addresses.backOffice}/health/ready`)).status).toBe(200);
    }
    await report(old.support, agency, ['by-the-old-one']);
    await report(next.support, agency, ['by-the-new-one']);
    await allAre(next.support, 'delivered', agency);

    expect(await refusedStart(settings)).toMatch(/used by a newer Bellhop .*9999-next-release/);

    // The new one delivers what the old one did, and an old token and key are still good.
    await old.stop();
    await report(next.support, agency, ['afterwards']);
    await allAre(next.support, 'delivered', agency);
    expect(await overviewOf(next, agency)).toBe(200);
    const orders = receiver.received.map(({ orderId }) => orderId);
    expect(orders.sort()).toEqual(['afterwards', 'by-the-new-one', 'by-the-old-one']);
  });
});

async function overviewOf(
  { addresses }: TestBellhop,
  { keyId, apiKey }: { keyId: string; apiKey: string },
): Promise<number> {
  const { status } = await fetch(`${addresses.production}/api/b2b/v3/overview/`, {
    headers: { authorization: `Basic ${btoa(`${keyId}:${apiKey}`)}` },
  });
  return status;
}
