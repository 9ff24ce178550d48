import { describe, expect, test } from 'vitest';
import type { TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine, sharedBackOffice } from '../testing/engines.ts';

const HP = 'api/b2b/v3/search/hp/';
const OVERVIEW = 'api/b2b/v3/overview/';
/** The catalogue's limit: 10 in 60 s. */
const DEFAULT_HP = {
  endpoint: HP,
  is_active: true,
  is_debug_mode: false,
  is_limited: true,
  requests_number: 10,
  seconds_number: 60,
};
const SECONDS_WARNING = {
  code: 'seconds_exceed_requests',
  detail: 'seconds_number (60) should not exceed requests_number (10).',
};

type Environment = 'production' | 'sandbox';

async function keyWithGrants(bellhop: TestBellhop, environment: Environment, key = {}) {
  const { keyId, partnerId, authorization } = await bellhop.newKey(environment, key);
  const path = `/support/v1/${environment}/keys/${keyId}/endpoints`;
  return {
    keyId,
    partnerId,
    authorization,
    put: (grant: object) => bellhop.support('PUT', path, grant),
    remove: (endpoint: string) =>
      bellhop.support('DELETE', `${path}?endpoint=${encodeURIComponent(endpoint)}`),
    async of(endpoint: string) {
      const { body } = await bellhop.support('GET', path);
      return body.items.find((grant: { endpoint: string }) => grant.endpoint === endpoint);
    },
    certify: () =>
      bellhop.support('POST', `/support/v1/${environment}/partners/${partnerId}/certification`, {
        reference: 'CERT-1',
      }),
  };
}

describeOnEachEngine('grants', (_start, share) => {
  const shared = share();

  test('are granted, changed and withdrawn, and the partner sees it at once', async () => {
    const bellhop = shared();
    const key = await keyWithGrants(bellhop, 'production', { endpoints: [] });
    const listed = async () => {
      const reply = await fetch(`${bellhop.addresses.production}/api/b2b/v3/overview/`, {
        headers: { authorization: key.authorization },
      });
      return ((await reply.json()) as { data: { endpoint: string }[] }).data;
    };
    expect((await listed()).map(({ endpoint }) => endpoint)).toEqual([OVERVIEW]);

    expect(await key.put({ endpoint: HP })).toMatchObject({
      status: 200,
      body: { ...DEFAULT_HP, warnings: [SECONDS_WARNING] },
    });
    expect(await listed()).toMatchObject([DEFAULT_HP, { endpoint: OVERVIEW }]);

    // Omitted fields stay unchanged.
    await key.put({ endpoint: '/api/b2b/v3/search/hp', is_debug_mode: true, requests_number: 5 });
    await key.put({ endpoint: HP, is_active: false });
    const changed = { ...DEFAULT_HP, is_active: false, is_debug_mode: true, requests_number: 5 };
    expect(await key.of(HP)).toEqual(changed);
    expect((await listed())[0]).toEqual(changed);

    expect(await key.remove(HP)).toMatchObject({ status: 204, body: '' });
    expect((await listed()).map(({ endpoint }) => endpoint)).toEqual([OVERVIEW]);
    expect(await key.remove(HP)).toMatchObject({
      status: 404,
      body: { code: 'endpoint_not_granted' },
    });
  });

  test('of overview/ can be changed, but not withdrawn', async () => {
    const key = await keyWithGrants(shared(), 'sandbox');
    for (const spelling of [OVERVIEW, `/${OVERVIEW}`, 'api/b2b/v3/overview']) {
      expect(await key.remove(spelling)).toMatchObject({
        status: 409,
        body: { code: 'overview_required' },
      });
    }
    expect((await key.put({ endpoint: OVERVIEW, requests_number: 7 })).status).toBe(200);
    expect(await key.of(OVERVIEW)).toMatchObject({ requests_number: 7 });
  });

  test('of one key do not affect another', async () => {
    const bellhop = shared();
    const one = await keyWithGrants(bellhop, 'sandbox');
    const other = await keyWithGrants(bellhop, 'sandbox');
    await one.put({ endpoint: HP, requests_number: 3 });
    expect(await one.of(HP)).toMatchObject({ requests_number: 3 });
    expect(await other.of(HP)).toEqual(DEFAULT_HP);
  });

  test('of overview/ cannot be set inactive, even together with other changes', async () => {
    const bellhop = shared();
    const key = await keyWithGrants(bellhop, 'sandbox');
    const overview = 'api/b2b/v3/overview/';
    const before = await key.of(overview);
    const change = { endpoint: overview, is_active: false, requests_number: 7 };
    const { status, body } = await key.put(change);
    expect([status, body.code]).toEqual([422, 'overview_always_active']);
    expect(await key.of(overview)).toEqual(before);
    const kept = await key.put({ ...change, is_active: true });
    expect(kept).toMatchObject({ status: 200, body: { is_active: true, requests_number: 7 } });
  });

  test('that are granted again are compared with what the key last had', async () => {
    const key = await keyWithGrants(shared(), 'production');
    const granted = async (grant: object) => {
      const { status, body } = await key.put({ endpoint: HP, ...grant });
      return status === 200 ? body.requests_number : body.code;
    };
    expect(await granted({ requests_number: 5 })).toBe(5);
    await key.remove(HP);
    expect(await granted({ requests_number: 10 })).toBe('certification_required');
    expect(await granted({ is_limited: false })).toBe('certification_required');
    expect(await granted({ seconds_number: 59 })).toBe('certification_required');
    // Without numbers, it gets the ones it last had, because the catalogue's are higher.
    expect(await granted({})).toBe(5);

    await key.certify();
    await key.remove(HP);
    expect(await granted({ requests_number: 10 })).toBe('approval_required');
    expect(await granted({ requests_number: 50, approval_reference: 'SALES-7' })).toBe(50);
    // An approved limit needs no second approval; without numbers, the catalogue's apply.
    await key.remove(HP);
    expect(await granted({})).toBe(10);
    expect(await granted({ requests_number: 50 })).toBe('approval_required');
    await key.remove(HP);
    expect(await granted({ requests_number: 11 })).toBe('approval_required');
    expect(await granted({ requests_number: 10 })).toBe(10);
  });

  test('that were withdrawn at their highest are granted again without another approval', async () => {
    const key = await keyWithGrants(shared(), 'production');
    await key.certify();
    await key.put({ endpoint: HP, is_limited: false, approval_reference: 'SALES-7' });
    await key.remove(HP);
    expect(await key.put({ endpoint: HP, is_limited: false })).toMatchObject({ status: 200 });
  });

  test('are not raised by deactivating and activating them', async () => {
    const key = await keyWithGrants(shared(), 'production');
    const status = async (grant: object) => (await key.put({ endpoint: HP, ...grant })).status;
    expect(await status({ is_active: false, requests_number: 11 })).toBe(409);
    expect(await status({ is_active: false, requests_number: 5 })).toBe(200);
    expect(await status({ is_active: true, requests_number: 10 })).toBe(409);
    expect(await status({ is_active: true })).toBe(200);
    expect(await key.of(HP)).toEqual({ ...DEFAULT_HP, requests_number: 5 });
    // A grant that was withdrawn while inactive is active when it is granted again.
    expect(await status({ is_active: false })).toBe(200);
    await key.remove(HP);
    expect(await status({ requests_number: 10 })).toBe(409);
    expect(await status({})).toBe(200);
    expect(await key.of(HP)).toEqual({ ...DEFAULT_HP, requests_number: 5 });
  });

  test('that are changed concurrently are all kept, or refused with 409', async () => {
    const bellhop = shared();
    const key = await keyWithGrants(bellhop, 'sandbox');
    const endpoints = ['search/hp/', 'hotel/info/', 'hotel/static/', 'profiles/list/'].map(
      (path) => `api/b2b/v3/${path}`,
    );
    const replies = await Promise.all(
      endpoints.map((endpoint) => key.put({ endpoint, is_active: false })),
    );
    for (const [index, { status, body }] of replies.entries()) {
      if (status !== 200) expect(body.code).toBe('changed_meanwhile');
      const { is_active } = await key.of(endpoints[index] as string);
      expect(is_active).toBe(status !== 200);
    }
    expect(replies.some(({ status }) => status === 200)).toBe(true);
  });
});

const bellhop = sharedBackOffice();

describe('a raise in production', () => {
  const raises = [
    { requests_number: 11 },
    { seconds_number: 59 },
    { is_limited: false },
    { requests_number: 2, seconds_number: 10 },
  ];

  test.each(raises)(
    '%j needs certification, then an approval, and is in the audit',
    async (raise) => {
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
    },
  );

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
  ])('is not %j: that is free', async (change) => {
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
