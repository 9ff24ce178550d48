import { expect, test } from 'vitest';
import { describeOnEachEngine } from '../testing/engines.ts';
import { DEFAULT_HP, HP, keyWithGrants, OVERVIEW, SECONDS_WARNING } from './granted-keys.ts';

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

  test('that are changed concurrently are all kept', async () => {
    const bellhop = shared();
    const key = await keyWithGrants(bellhop, 'sandbox');
    const endpoints = ['search/hp/', 'hotel/info/', 'hotel/static/', 'profiles/list/'].map(
      (path) => `api/b2b/v3/${path}`,
    );
    const replies = await Promise.all(
      endpoints.map((endpoint) => key.put({ endpoint, is_active: false })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const endpoint of endpoints) {
      expect(await key.of(endpoint)).toMatchObject({ is_active: false });
    }
  });
});
