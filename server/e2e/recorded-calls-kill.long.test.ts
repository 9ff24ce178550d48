/** Refused calls across the end of a process, killed or stopped. */
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { spawnBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { call, type Reply } from './wire.ts';

test('a stop loses none of them, kill -9 at most the last second', async () => {
  const settings = {
    BELLHOP_ENVIRONMENTS: 'sandbox',
    BELLHOP_DATA_DIR: await temporaryFolder(),
  };
  const victim = await spawnBellhop(settings);
  const key = await victim.newKey('sandbox');
  const refuse = (bellhop: TestBellhop) =>
    call(bellhop.addresses.sandbox, { ...key, method: 'DELETE' });
  const callsOf = async ({ support }: TestBellhop, { headers }: Reply) => {
    const path = `/support/v1/sandbox/calls?request_id=${headers['x-request-id']}`;
    return (await support('GET', path)).body.items;
  };
  const first = await refuse(victim);
  // It is written within a second or two.
  await eventually(
    () => callsOf(victim, first),
    (items) => items.length === 1,
  );
  await victim.kill();
  const next = await spawnBellhop(settings);
  expect(await callsOf(next, first)).toMatchObject([{ key_id: key.keyId }]);
  const second = await refuse(next);
  await next.stop();
  const last = await spawnBellhop(settings);
  expect(await callsOf(last, second)).toHaveLength(1);
});
