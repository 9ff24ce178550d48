/** The history of calls: what counts as what, and what outlives an orderly stop. */
import { describe, expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { ADMIN_TOKEN, basic, startBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { newMasterKey } from '../testing/settings.ts';
import { asAsked, sharedForwarding } from './forwarding.ts';
import { OVERVIEW } from './granted-keys.ts';
import { historyOf, sumsOf } from './usage-sums.ts';
import { call, FORWARDED_PATH } from './wire.ts';

const INFO = FORWARDED_PATH.slice(1);

type Settings = Record<string, string>;

describe('embedded database', () => {
  tests(async () => ({ BELLHOP_DATA_DIR: await temporaryFolder() }));
});

describeWithPostgres('PostgreSQL', (_empty, databaseWithTables) => {
  const settingsOf = async () => ({
    BELLHOP_DATA_DIR: await temporaryFolder(),
    BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables(),
    BELLHOP_MASTER_KEY: newMasterKey(),
  });
  tests(settingsOf);

  test('adds up what two nodes have counted', async () => {
    const settings = { BELLHOP_ENVIRONMENTS: 'sandbox', ...(await settingsOf()) };
    const [one, other] = [await startBellhop(settings), await startBellhop(settings)];
    const key = await one.newKey('sandbox');
    for (let i = 0; i < 3; i++) expect((await call(one.addresses.sandbox, key)).status).toBe(200);
    for (let i = 0; i < 4; i++) expect((await call(other.addresses.sandbox, key)).status).toBe(200);
    const sums = await eventually(
      () => sumsOf(one, key.keyId),
      (found) => found[OVERVIEW]?.admitted === 7,
    );
    // Each node has its own count, because the limit is not in Redis.
    expect(sums).toEqual({ [OVERVIEW]: { admitted: 7, refused: 0, failed: 0, peak_share: 0.04 } });
  });
});

function tests(newSettings: () => Promise<Settings>): void {
  test('has every call of a process that stops in order, and can be read as CSV', async () => {
    const settings = { BELLHOP_ENVIRONMENTS: 'sandbox', ...(await newSettings()) };
    const before = await startBellhop(settings);
    const key = await before.newKey('sandbox');
    const endpoints = `/support/v1/sandbox/keys/${key.keyId}/endpoints`;
    const limit = { is_limited: true, requests_number: 4, seconds_number: 3_600 };
    await before.support('PUT', endpoints, { endpoint: OVERVIEW, ...limit });
    await before.support('PUT', endpoints, { endpoint: INFO, is_limited: false });
    const statuses: number[] = [];
    const tries = [
      ...Array(6).fill({}),
      { path: FORWARDED_PATH },
      // Not part of the history: refused before the limit, for other reasons.
      { method: 'DELETE' },
      { path: '/api/b2b/v3/nothing/' },
    ];
    for (const one of tries) {
      statuses.push((await call(before.addresses.sandbox, { ...key, ...one })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 501, 405, 404]);

    const rotated = await before.newKey('sandbox');
    const rotatedPath = `/support/v1/sandbox/keys/${rotated.keyId}`;
    await before.support('POST', `${rotatedPath}/rotation`, {});
    const { body: last } = await before.support('POST', `${rotatedPath}/rotation`, {});
    const newest = basic(rotated.keyId, last.api_key);
    // Refused calls are uses, too.
    for (const authorization of [rotated.authorization, newest]) {
      const refused = { method: 'DELETE', authorization };
      expect((await call(before.addresses.sandbox, refused)).status).toBe(405);
    }
    await before.stop();

    const after = await startBellhop(settings);
    const keyPath = `/support/v1/sandbox/keys/${key.keyId}`;
    await after.support('DELETE', keyPath);
    const overview = { admitted: 4, refused: 2, failed: 0, peak_share: 1 };
    const info = { admitted: 1, refused: 0, failed: 1, peak_share: null };
    expect(await sumsOf(after, key.keyId)).toEqual({ [OVERVIEW]: overview, [INFO]: info });
    const days = await historyOf(after, key.keyId, `?step=day&endpoint=${OVERVIEW}`);
    expect(days).toMatchObject([{ endpoint: OVERVIEW, peak_share: 1 }]);
    expect(days[0]?.at).toMatch(/T00:00:00\.000Z$/);
    const partner = `/support/v1/sandbox/partners/${key.partnerId}/history`;
    expect((await after.support('GET', `${partner}?step=day`)).body).toEqual({
      items: await historyOf(after, key.keyId, '?step=day'),
    });
    expect((await after.support('GET', `${keyPath}/peaks`)).body).toEqual({
      items: [{ endpoint: OVERVIEW, calls: 4, share: 1 }],
      next_cursor: null,
    });

    const { body: apiKeys } = await after.support('GET', `${rotatedPath}/api-keys`);
    const used = expect.stringMatching(/Z$/);
    expect(apiKeys.items).toEqual([
      { is_current: true, works_until: null, last_used_at: used },
      { is_current: false, works_until: used, last_used_at: null },
      { is_current: false, works_until: used, last_used_at: used },
    ]);

    const csv = await fetch(`${after.addresses.backOffice + keyPath}/history?step=day`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept: 'text/csv' },
    });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toBe(
      `attachment; filename="bellhop-sandbox-keys-${key.keyId}-history-${days[0]?.at.slice(0, 10)}.csv"`,
    );
    const [head, ...lines] = (await csv.text()).split('\r\n');
    expect(head).toBe('at,endpoint,admitted,refused,failed,peak_share');
    expect(lines).toEqual([
      `${days[0]?.at},${INFO},1,0,1,`,
      `${days[0]?.at},${OVERVIEW},4,2,0,1`,
      '',
    ]);
  });
}

describe('a forwarded call has failed', () => {
  const { bellhop, begin, hangUp } = sharedForwarding();

  test('if it ends with 5xx or without a complete reply', async () => {
    const { key, sandbox } = await begin(asAsked);
    const asked = (how: string) => call(sandbox, { ...key, path: `${FORWARDED_PATH}?${how}` });
    expect((await asked('fine')).status).toBe(200);
    expect((await asked('bad')).status).toBe(400);
    expect((await asked('failing')).status).toBe(503);
    expect((await asked('closes')).status).toBe(502);
    await expect(asked('breaks-off')).rejects.toThrow();
    await hangUp(key);

    const sums = await eventually(
      () => sumsOf(bellhop, key.keyId),
      (found) => (found[INFO]?.failed ?? 0) >= 4,
    );
    expect(sums).toEqual({
      [INFO]: { admitted: 6, refused: 0, failed: 4, peak_share: 6 / 30 },
    });
  });
});
