/** What a change would refuse, told before it is made. */
import { expect, test } from 'vitest';
import type { TestKey } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { call, FORWARDED_PATH, OVERVIEW_PATH } from './wire.ts';

const SUPPORT = '/support/v1/sandbox';
const OVERVIEW = OVERVIEW_PATH.slice(1);
const INFO = FORWARDED_PATH.slice(1);
const NOTHING = { calls_last_hour: 0, calls_last_day: 0, keys: 0 };
const ALL_FIVE = { calls_last_hour: 5, calls_last_day: 5, keys: 1 };

describeOnEachEngine('a dry run', (_start, share) => {
  const bellhop = share();
  const ask = (method: string, path: string, body?: unknown) =>
    bellhop().support(method, `${SUPPORT}/${path}`, body);

  async function dry(method: string, path: string, body?: unknown) {
    const { status, body: told } = await ask(method, path, body);
    expect(status, JSON.stringify(told)).toBe(200);
    return told.effects;
  }

  /** A key with five calls of its overview that the usage history knows of. */
  async function usedKey(): Promise<TestKey & { path: string }> {
    const key = await bellhop().newKey('sandbox');
    for (let n = 0; n < 5; n++) {
      expect((await call(bellhop().addresses.sandbox, { ...key })).status).toBe(200);
    }
    const path = `keys/${key.keyId}`;
    await eventually(
      async () => (await ask('GET', `${path}/history`)).body.items,
      (items) => items[0]?.admitted === 5,
    );
    return { ...key, path };
  }

  const auditOf = async (subject: string) =>
    (await ask('GET', `audit?subject=${subject}`)).body.items;

  test('of a key counts its calls, and changes nothing', async () => {
    const { path, keyId, ...key } = await usedKey();
    const before = (await ask('GET', path)).body;
    expect(await dry('PATCH', `${path}?dry_run=true`, { disabled: true })).toEqual(ALL_FIVE);
    expect(await dry('PATCH', `${path}?dry_run=true`, { label: 'other' })).toEqual(NOTHING);
    const allowed_ips = ['203.0.113.7'];
    expect(await dry('PATCH', `${path}?dry_run=true`, { allowed_ips })).toEqual(ALL_FIVE);
    expect((await ask('GET', path)).body).toEqual({ ...before, last_used_on: expect.anything() });
    expect(await auditOf(keyId)).toHaveLength(1);
    expect((await call(bellhop().addresses.sandbox, { ...key })).status).toBe(200);
    // Without it, or with false, the change is made.
    expect((await ask('PATCH', `${path}?dry_run=false`, { disabled: true })).body.disabled).toBe(
      true,
    );
    expect(await dry('PATCH', `${path}?dry_run=true`, { disabled: true })).toEqual(NOTHING);
  });

  test('of a grant counts the calls of its endpoint, and those beyond a lower limit', async () => {
    const { path, keyId } = await usedKey();
    const put = (body: object) => dry('PUT', `${path}/endpoints?dry_run=true`, body);
    expect(await put({ endpoint: OVERVIEW, requests_number: 2 })).toEqual({
      calls_last_hour: 3,
      calls_last_day: 3,
      keys: 1,
    });
    expect(await put({ endpoint: OVERVIEW, requests_number: 5 })).toMatchObject({
      calls_last_hour: 0,
    });
    expect(await put({ endpoint: OVERVIEW, requests_number: 100_000 })).toEqual(NOTHING);
    expect(await put({ endpoint: INFO, is_active: false })).toEqual({ ...NOTHING, keys: 1 });
    const withdrawn = `${path}/endpoints?endpoint=${INFO}&dry_run=true`;
    expect(await dry('DELETE', withdrawn)).toEqual({ ...NOTHING, keys: 1 });
    const { items } = (await ask('GET', `${path}/endpoints`)).body;
    expect(items).toHaveLength(43);
    expect(await auditOf(keyId)).toHaveLength(1);
  });

  test('of a lower limit leaves out what was refused anyway', async () => {
    const { path, ...key } = await usedKey();
    await ask('PUT', `${path}/endpoints`, { endpoint: OVERVIEW, requests_number: 5 });
    for (let n = 0; n < 2; n++) {
      expect((await call(bellhop().addresses.sandbox, { ...key })).status).toBe(429);
    }
    await eventually(
      async () => (await ask('GET', `${path}/history`)).body.items,
      (items) => items[0]?.refused === 2,
    );
    const lower = { endpoint: OVERVIEW, requests_number: 2 };
    expect(await dry('PUT', `${path}/endpoints?dry_run=true`, lower)).toMatchObject({
      calls_last_hour: 3,
      calls_last_day: 3,
    });
  });

  test('of a suspension counts the calls of all keys', async () => {
    const { partnerId } = await usedKey();
    const partner = `partners/${partnerId}`;
    await ask('POST', `${partner}/keys`, {});
    const revoked = (await ask('POST', `${partner}/keys`, {})).body;
    await ask('DELETE', `keys/${revoked.key_id}`);
    const suspended = { suspended: true };
    expect(await dry('PATCH', `${partner}?dry_run=true`, suspended)).toEqual({
      ...ALL_FIVE,
      keys: 2,
    });
    expect((await ask('GET', partner)).body.suspended).toBe(false);
  });

  test('is refused as the change would be', async () => {
    const { path } = await usedKey();
    const refused = async (method: string, rest: string, body?: unknown) => {
      const reply = await ask(method, rest, body);
      return [reply.status, reply.body.code];
    };
    const off = { endpoint: OVERVIEW, is_active: false };
    expect(await refused('PUT', `${path}/endpoints?dry_run=true`, off)).toEqual([
      422,
      'overview_always_active',
    ]);
    expect(await refused('DELETE', `${path}/endpoints?endpoint=${OVERVIEW}&dry_run=true`)).toEqual([
      409,
      'overview_required',
    ]);
    expect(await refused('PATCH', 'keys/1?dry_run=true', { disabled: true })).toEqual([
      404,
      'key_not_found',
    ]);
    expect(await refused('PATCH', `${path}?dry_run=maybe`, { disabled: true })).toEqual([
      422,
      'validation_failed',
    ]);
    // Operations without dry runs refuse the parameter.
    expect(await refused('POST', `${path}/rotation?dry_run=true`, {})).toEqual([
      422,
      'validation_failed',
    ]);
  });

  test('is beside a trial of any limit', async () => {
    const { path } = await usedKey();
    const trial = (requests: number, seconds: number) =>
      ask(
        'GET',
        `${path}/limit-trial?endpoint=${OVERVIEW}&requests_number=${requests}&seconds_number=${seconds}`,
      );
    const { status, body } = await trial(2, 86_400);
    expect(status).toBe(200);
    expect(body).toEqual({
      at_least: 3,
      at_most: 3,
      calls: 5,
      hours: [{ at: expect.stringMatching(/:00:00.000Z$/), at_least: 3, at_most: 3, calls: 5 }],
    });
    // A minute is shorter than the window of the peak, so nothing is certain.
    expect((await trial(2, 60)).body).toMatchObject({ at_least: 0, at_most: 3 });
    expect((await trial(100, 60)).body).toEqual({ at_least: 0, at_most: 0, calls: 5, hours: [] });
    expect((await trial(0, 60)).status).toBe(422);
  });
});
