/** Calls that were counted stay counted, however the process ends. */
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { type BellhopProcess, spawnBellhop, type TestKey } from '../testing/bellhop.ts';
import { describeSettingsOfEachEngine, type NewSettings } from '../testing/engines.ts';
import { call, OVERVIEW_PATH } from './wire.ts';

const LIMIT = 100;
const CALLERS = 20;
const KILLS = 3;

type Settings = Record<string, string>;

describeSettingsOfEachEngine(tests);

function tests(newSettings: NewSettings): void {
  const spawnAnew = (settings: Settings) =>
    spawnBellhop({ BELLHOP_ENVIRONMENTS: 'sandbox', ...settings });

  test('kill -9 at any moment never admits more than the daily limit', async () => {
    const settings = await newSettings();
    let bellhop = await spawnAnew(settings);
    const key = await bellhop.newKey('sandbox');
    const tally = { admitted: 0, refused: 0, inFlight: 0, inFlightAtKills: 0 };

    for (let kill = 0; kill < KILLS; kill++) {
      const victim = bellhop;
      // Three times this, including the calls in flight, is still less than the limit.
      const killAfter = tally.admitted + randomInt(1, 14);
      let killed = false;
      await crowd(victim, key, tally, () => {
        if (killed || tally.admitted < killAfter) return killed;
        victim.child.kill('SIGKILL');
        tally.inFlightAtKills += tally.inFlight;
        killed = true;
        return true;
      });
      await victim.kill();
      // Only the last one is asked about usage. Without a back office, a start takes a third of the time.
      const isLast = kill === KILLS - 1;
      bellhop = await spawnAnew({ ...settings, ...(!isLast && { BELLHOP_ROLES: 'partner-api' }) });
    }
    expect(tally.refused).toBe(0);
    await crowd(bellhop, key, tally, () => tally.refused >= CALLERS);

    expect(tally.admitted).toBeLessThanOrEqual(LIMIT);
    expect(LIMIT - tally.admitted).toBeLessThanOrEqual(tally.inFlightAtKills);
    expect(await overviewUsage(bellhop, key)).toMatchObject({ used: LIMIT, remaining: 0 });
    for (let i = 0; i < 5; i++) {
      const reply = await call(bellhop.addresses.sandbox, key);
      expect([reply.status, reply.json.error.code]).toEqual([429, 'endpoint_exceeded_limit']);
    }
  });

  test('an orderly restart keeps short and long windows and exits with 0', async () => {
    const settings = await newSettings();
    const before = await spawnAnew(settings);
    const key = await before.newKey('sandbox');
    const hp = '/api/b2b/v3/search/hp/';
    await before.support('PUT', `/support/v1/sandbox/keys/${key.keyId}/endpoints`, {
      endpoint: hp,
      requests_number: 10,
      seconds_number: 600,
    });
    const resets: number[] = [];
    for (const path of [hp, hp, hp, OVERVIEW_PATH, OVERVIEW_PATH]) {
      const reply = await call(before.addresses.sandbox, { ...key, path });
      resets.push(Date.parse(`${reply.headers['x-ratelimit-reset']}Z`));
    }
    await before.stop();
    expect(before.child.exitCode).toBe(0);

    const after = await spawnAnew(settings);
    const standings = [];
    for (const path of [hp, OVERVIEW_PATH]) {
      const { headers } = await call(after.addresses.sandbox, { ...key, path });
      standings.push([
        headers['x-ratelimit-remaining'],
        Date.parse(`${headers['x-ratelimit-reset']}Z`),
      ]);
    }
    // A reset is given in whole seconds, so two values may differ by one.
    expect(standings).toEqual([
      ['6', near(resets[0] as number)],
      ['97', near(resets[3] as number)],
    ]);
    expect(await overviewUsage(after, key)).toMatchObject({ used: 3, remaining: 97 });
  });
}

/** Many concurrent callers, each calling repeatedly until `isOver` returns true. */
async function crowd(
  { addresses }: BellhopProcess,
  key: TestKey,
  tally: { admitted: number; refused: number; inFlight: number },
  isOver: () => boolean,
): Promise<void> {
  const caller = async () => {
    while (!isOver()) {
      tally.inFlight++;
      const status = await call(addresses.sandbox, key).then(
        (reply) => reply.status,
        () => undefined,
      );
      tally.inFlight--;
      if (status === 200) tally.admitted++;
      else if (status === 429) tally.refused++;
      else expect(status).toBeUndefined();
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

async function overviewUsage({ support }: BellhopProcess, { keyId }: TestKey): Promise<object> {
  const { body } = await support('GET', `/support/v1/sandbox/keys/${keyId}/usage`);
  return body.items.find((item: { endpoint: string }) => `/${item.endpoint}` === OVERVIEW_PATH);
}

function near(expected: number): unknown {
  return expect.toSatisfy((value: number) => Math.abs(value - expected) <= 1_000);
}
