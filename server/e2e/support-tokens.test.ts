import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { ADMIN_TOKEN, startBellhop } from '../testing/bellhop.ts';
import { openBrowser } from '../testing/console-browser.ts';
import {
  BACK_OFFICE_ONLY,
  describeOnEachEngine,
  PRODUCTION_ONLY,
  sharedBackOffice,
} from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';

const TOKENS = '/support/v1/tokens';

describeOnEachEngine('tokens', (start, share) => {
  const shared = share(BACK_OFFICE_ONLY);

  test('are created and listed, and can be deleted by path or by query', async () => {
    const { support } = await start(PRODUCTION_ONLY);
    const works = async (token: string) =>
      (await support('GET', '/support/v1/production/partners', undefined, token)).status === 200;

    const made = await support('POST', TOKENS, { name: 'Ann', role: 'viewer' });
    expect(made).toMatchObject({ status: 201 });
    const { token, ...shown } = made.body;
    expect(made.body).toEqual({
      id: expect.stringMatching(/^tok_[0-9a-f]{28}$/),
      name: 'Ann',
      role: 'viewer',
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      last_used_at: null,
      token: expect.stringMatching(/^bh_[\w-]{43}$/),
    });
    expect(await works(token)).toBe(true);
    const other = await support('POST', TOKENS, { name: 'Ann', role: 'support' });
    expect(other.body.token).not.toBe(token);

    // The last use is recorded after the reply.
    const listed = await eventually(
      () => support('GET', TOKENS),
      ({ body }) => body.items.find(({ id }: { id: string }) => id === shown.id).last_used_at,
    );
    expect(listed.body).toEqual({
      items: expect.arrayContaining([
        expect.objectContaining({ name: 'admin', role: 'admin' }),
        { ...shown, last_used_at: expect.stringMatching(/Z$/) },
      ]),
      next_cursor: null,
    });

    expect(await support('DELETE', `${TOKENS}/${shown.id}`)).toMatchObject({ status: 204 });
    expect(await works(token)).toBe(false);
    expect(await support('DELETE', `${TOKENS}?id=${other.body.id}`)).toMatchObject({ status: 204 });
    expect(await works(other.body.token)).toBe(false);
    expect((await support('GET', TOKENS)).body.items).toHaveLength(1);
    for (const id of [shown.id, 'tok_none']) {
      expect(await support('DELETE', `${TOKENS}/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'token_not_found' },
      });
    }
  });

  test('are listed page by page, newest first', async () => {
    const { support } = await start(PRODUCTION_ONLY);
    for (const name of ['a', 'b', 'c']) await support('POST', TOKENS, { name, role: 'viewer' });
    const first = await support('GET', `${TOKENS}?limit=3`);
    expect(first.body.items.map(({ name }: { name: string }) => name)).toEqual(['c', 'b', 'a']);
    const rest = await support('GET', `${TOKENS}?limit=3&cursor=${first.body.next_cursor}`);
    expect(rest.body).toMatchObject({ items: [{ id: 'tok_first' }], next_cursor: null });
    for (const query of ['limit=0', 'limit=201', 'cursor=nonsense', 'page=2']) {
      expect(await support('GET', `${TOKENS}?${query}`)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed' },
      });
    }
  });

  test('of role admin cannot be deleted if only one is left', async () => {
    const { support } = await start(PRODUCTION_ONLY);
    const first = (await support('GET', TOKENS)).body.items[0].id;
    await support('POST', TOKENS, { name: 'not an admin', role: 'support' });
    expect(await support('DELETE', `${TOKENS}/${first}`)).toMatchObject({
      status: 409,
      body: { code: 'last_admin_token' },
    });
    const second = await support('POST', TOKENS, { name: 'second', role: 'admin' });
    expect(await support('DELETE', `${TOKENS}/${first}`)).toMatchObject({ status: 204 });
    expect(await support('GET', TOKENS)).toMatchObject({ status: 401 });
    const { token, id } = second.body;
    expect(await support('DELETE', `${TOKENS}/${id}`, undefined, token)).toMatchObject({
      body: { code: 'last_admin_token' },
    });
  });

  test('401: after they have expired, in the API and in the console', async () => {
    const { support, addresses } = shared();
    const expires_at = new Date(Date.now() + 3_000).toISOString();
    const made = await support('POST', TOKENS, { name: 'Temp', role: 'viewer', expires_at });
    expect(made).toMatchObject({ status: 201, body: { expires_at } });
    const { token } = made.body;
    const { signIn, call } = openBrowser(() => addresses.backOffice);
    expect((await signIn(token)).status).toBe(200);
    const statuses = async () => [
      (await support('GET', '/support/v1/production/keys', undefined, token)).status,
      (await call('GET', '/support/v1/production/keys')).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await eventually(statuses, ([api, console]) => api === 401 && console === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
    expect((await signIn(token)).status).toBe(401);
    const [listed] = (await support('GET', `${TOKENS}?limit=1`)).body.items;
    expect(listed).toMatchObject({ name: 'Temp', expires_at });
    expect((await support('DELETE', `${TOKENS}/${listed.id}`)).status).toBe(204);
  });

  test('show when they were last used, also through a session of the console', async () => {
    const { support, addresses } = shared();
    const made = await support('POST', TOKENS, { name: 'Ann', role: 'viewer' });
    const lastUse = async () =>
      (await support('GET', `${TOKENS}?limit=1`)).body.items[0].last_used_at as string | null;
    expect(await lastUse()).toBeNull();
    const beforeMs = Date.now();
    const { signIn } = openBrowser(() => addresses.backOffice);
    await signIn(made.body.token);
    const usedAt = await eventually(lastUse, (at) => at !== null);
    expect(Date.parse(usedAt as string)).toBeGreaterThanOrEqual(beforeMs);
  });

  test('are valid in both environments', async () => {
    const { support } = shared();
    const made = await support('POST', TOKENS, { name: 'Ann', role: 'viewer' });
    for (const environment of ['production', 'sandbox']) {
      const path = `/support/v1/${environment}/keys`;
      expect((await support('GET', path, undefined, made.body.token)).status).toBe(200);
    }
  });
});

describe('a token is not created or deleted with', () => {
  const bellhop = sharedBackOffice();

  test.each([
    [{ name: 'x', role: 'root' }, '/role'],
    [{ name: 'x', role: 'Admin' }, '/role'],
    [{ name: 'x' }, '/role'],
    [{ role: 'viewer' }, '/name'],
    [{ name: '', role: 'viewer' }, '/name'],
    [{ name: 'x', role: 'viewer', token: 'mine' }, '/token'],
    [{ name: ['x'], role: 'viewer' }, '/name'],
  ])('%j', async (body, field) => {
    const { support } = bellhop();
    expect(await support('POST', TOKENS, body)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field }] },
    });
  });

  test('a time of expiry that has passed, or is none', async () => {
    const { support } = bellhop();
    for (const expires_at of ['2020-01-01T00:00:00Z', 'tomorrow', 7]) {
      const reply = await support('POST', TOKENS, { name: 'Temp', role: 'viewer', expires_at });
      expect(reply).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field: '/expires_at' }] },
      });
    }
    const never = await support('POST', TOKENS, { name: 'x', role: 'viewer', expires_at: null });
    expect(never).toMatchObject({ status: 201, body: { expires_at: null } });
  });

  test('no id', async () => {
    const { support } = bellhop();
    expect(await support('DELETE', TOKENS)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'id' }] },
    });
  });
});

test('the first token stays deleted after a restart with the same BELLHOP_ADMIN_TOKEN', async () => {
  const settings = { ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR: await temporaryFolder() };
  const bellhop = await startBellhop(settings);
  const { body } = await bellhop.support('POST', TOKENS, { name: 'Ann', role: 'admin' });
  await bellhop.support('DELETE', `${TOKENS}/tok_first`);
  await bellhop.stop();
  const again = await startBellhop(settings);
  expect((await again.support('GET', TOKENS)).status).toBe(401);
  expect((await again.support('GET', TOKENS, undefined, body.token)).body.items).toHaveLength(1);
});

test('a deleted token cannot return as the first one', async () => {
  const folder = await temporaryFolder();
  const bellhop = await startBellhop({ ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR: folder });
  const { body } = await bellhop.support('POST', TOKENS, { name: 'Ann', role: 'admin' });
  await bellhop.support('DELETE', `${TOKENS}/${body.id}`);
  await bellhop.stop();
  const start = (token: string) =>
    startBellhop({
      ...BACK_OFFICE_ONLY,
      BELLHOP_DATA_DIR: folder,
      BELLHOP_ADMIN_TOKEN: token,
    });
  await expect(start(body.token)).rejects.toThrow(
    'BELLHOP_ADMIN_TOKEN is a token that was deleted; choose another.',
  );
  await start(ADMIN_TOKEN);
});
