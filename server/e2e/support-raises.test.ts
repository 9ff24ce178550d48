/** What counts as a raise in production, and the limits of a window. */
import { describe, expect, test } from 'vitest';
import { sharedBackOffice } from '../testing/engines.ts';
import { DEFAULT_HP, HP, keyWithGrants } from './granted-keys.ts';

const bellhop = sharedBackOffice();

describe('a raise in production', () => {
  const raises = [
    { requests_number: 11 },
    { seconds_number: 59 },
    { is_limited: false },
    { requests_number: 2, seconds_number: 10 },
  ];

  test.each(raises)('%j needs certification and an approval, and is audited', async (raise) => {
    const key = await keyWithGrants(bellhop(), 'production');
    const change = { endpoint: HP, ...raise };
    const approved = { ...change, approval_reference: 'SALES-42' };

    for (const attempt of [change, approved]) {
      expect(await key.put(attempt)).toMatchObject({
        status: 409,
        body: { code: 'certification_required' },
      });
    }
    await key.certify();
    expect(await key.put(change)).toMatchObject({
      status: 422,
      body: { code: 'approval_required' },
    });
    expect(await key.put({ ...change, approval_reference: '' })).toMatchObject({ status: 422 });
    expect(await key.of(HP)).toEqual(DEFAULT_HP);

    const done = await key.put(approved);
    expect(done).toMatchObject({ status: 200, body: { ...DEFAULT_HP, ...raise } });
    expect(done.body).not.toHaveProperty('approval_reference');
    expect(await key.of(HP)).toEqual({ ...DEFAULT_HP, ...raise });
    const audit = await bellhop().support(
      'GET',
      `/support/v1/production/audit?subject=${key.keyId}&action=key.grant`,
    );
    expect(audit.body.items).toMatchObject([
      {
        subject: key.keyId,
        before: DEFAULT_HP,
        after: { ...DEFAULT_HP, ...raise, approval_reference: 'SALES-42' },
      },
    ]);
  });

  test('records the expected sales volume that it was approved for', async () => {
    const key = await keyWithGrants(bellhop(), 'production');
    await key.certify();
    const raise = { endpoint: HP, requests_number: 11, approval_reference: 'SALES-42' };
    for (const wrong of ['', 'x'.repeat(201), 5]) {
      const reply = await key.put({ ...raise, expected_sales_volume: wrong });
      expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    }
    const volume = '200 bookings a day from May';
    const done = await key.put({ ...raise, expected_sales_volume: volume });
    expect(done.status).toBe(200);
    expect(done.body).not.toHaveProperty('expected_sales_volume');
    expect(await key.of(HP)).toEqual({ ...DEFAULT_HP, requests_number: 11 });
    const audit = await bellhop().support(
      'GET',
      `/support/v1/production/audit?subject=${key.keyId}&action=key.grant`,
    );
    expect(audit.body.items).toMatchObject([{ after: { expected_sales_volume: volume } }]);
  });

  test('includes a change from 30 in 60 s to 10 in 10 s', async () => {
    const key = await keyWithGrants(bellhop(), 'production');
    const change = { endpoint: 'api/b2b/v3/hotel/info/', requests_number: 10, seconds_number: 10 };
    expect(await key.put(change)).toMatchObject({ body: { code: 'certification_required' } });
  });

  test('is compared with the catalogue if nothing was granted before', async () => {
    const key = await keyWithGrants(bellhop(), 'production', {
      endpoints: [],
    });
    expect(await key.put({ endpoint: HP, requests_number: 11 })).toMatchObject({ status: 409 });
    expect(await key.put({ endpoint: HP, is_limited: false })).toMatchObject({ status: 409 });
    expect(await key.put({ endpoint: HP })).toMatchObject({ status: 200 });
  });

  test.each([
    { requests_number: 9 },
    { seconds_number: 61 },
    { requests_number: 5, seconds_number: 30 },
    { is_active: false },
    { is_debug_mode: true },
    {},
  ])('is not %j, which needs no approval', async (change) => {
    const key = await keyWithGrants(bellhop(), 'production');
    expect(await key.put({ endpoint: HP, ...change })).toMatchObject({ status: 200 });
    expect(await key.of(HP)).toEqual({ ...DEFAULT_HP, ...change });
  });

  test('does not exist in the sandbox', async () => {
    const key = await keyWithGrants(bellhop(), 'sandbox');
    for (const raise of raises) {
      expect(await key.put({ endpoint: HP, ...raise })).toMatchObject({ status: 200 });
    }
  });
});

describe('the window', () => {
  test.each([
    [{ requests_number: 60, seconds_number: 60 }, 0],
    [{ requests_number: 60, seconds_number: 61 }, 1],
    [{ requests_number: 1, seconds_number: 1 }, 0],
    [{ requests_number: 1_000_000, seconds_number: 2_678_400 }, 1],
    [{ is_limited: false, requests_number: 30, seconds_number: 60 }, 1],
  ])('%j gets %i warnings', async (window, warnings) => {
    const key = await keyWithGrants(bellhop(), 'sandbox');
    const { status, body } = await key.put({ endpoint: HP, ...window });
    expect(status).toBe(200);
    expect(body.warnings).toHaveLength(warnings);
    for (const { code } of body.warnings) expect(code).toBe('seconds_exceed_requests');
  });

  test.each([
    [{ requests_number: 0 }, '/requests_number'],
    [{ requests_number: -1 }, '/requests_number'],
    [{ requests_number: 1.5 }, '/requests_number'],
    [{ requests_number: '10' }, '/requests_number'],
    [{ requests_number: 1_000_001 }, '/requests_number'],
    [{ requests_number: null }, '/requests_number'],
    [{ seconds_number: 0 }, '/seconds_number'],
    [{ seconds_number: 2_678_401 }, '/seconds_number'],
    [{ is_active: 'true' }, '/is_active'],
    [{ is_limited: 1 }, '/is_limited'],
    [{ is_aktive: true }, '/is_aktive'],
    [{ endpoint: 'api/b2b/v3/nothing/' }, '/endpoint'],
    [{ endpoint: '' }, '/endpoint'],
    [{ endpoint: `//${HP}` }, '/endpoint'],
    [{ endpoint: undefined }, '/endpoint'],
  ])('is not %j', async (change, field) => {
    const key = await keyWithGrants(bellhop(), 'sandbox');
    const { status, body } = await key.put({ endpoint: HP, ...change });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
    expect(await key.of(HP)).toEqual(DEFAULT_HP);
  });
});
