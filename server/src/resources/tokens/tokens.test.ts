import { describe, expect, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { describeOnEachBackOffice, placeAt } from '../../../testing/back-office-store.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { digestOfToken } from '../../base/random-token.ts';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import { ensureFirstToken } from './first-token.ts';
import { createToken, deleteToken, findToken, listTokens } from './tokens.ts';

const GIVEN = 'given-as-the-admin-token';

const admin = (store: BackOfficeStore, name: string) =>
  createToken(store, 'test', { name, role: 'admin' });

const find = (store: BackOfficeStore, token: string, nowMs = Date.now()) =>
  findToken(store, token, nowMs);

describeOnEachBackOffice('tokens', (freshPlace) => {
  test('are listed newest first, a page at a time, without deleted ones', async () => {
    const clock = new ManualClock();
    const { store } = await (await freshPlace()).open(clock);
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      ids.unshift((await admin(store, `token ${i}`)).id);
      // Some have the same time, so that the id decides.
      if (i % 2 === 0) clock.advance(1);
    }
    await deleteToken(store, 'test', ids[3] as string);
    const kept = ids.filter((id) => id !== ids[3]);
    const { items } = await listTokens(store, {});
    expect(items.map(({ id }) => id).sort()).toEqual([...kept].sort());
    expect(items.map(({ created_at }) => created_at)).toEqual(
      items.map(({ created_at }) => created_at).sort((a, b) => b.localeCompare(a)),
    );

    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await listTokens(store, { limit: 2, cursor });
      pages.push(page.items.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 2]);
    expect(pages.flat()).toEqual(items.map(({ id }) => id));
  });

  describe('the first token', () => {
    test('stays deleted however often the process starts with it', async () => {
      const { store } = await (await freshPlace()).open();
      await ensureFirstToken(store, GIVEN);
      const { token } = await admin(store, 'second');
      await deleteToken(store, 'test', 'tok_first');
      for (let starts = 0; starts < 2; starts++) {
        expect(await ensureFirstToken(store, GIVEN)).toBeUndefined();
        expect(await find(store, GIVEN)).toBeUndefined();
      }
      expect(await ensureFirstToken(store, undefined)).toBeUndefined();
      expect(await find(store, token)).toMatchObject({ name: 'second' });
    });

    test('stays deleted after another was given in between', async () => {
      const { store } = await (await freshPlace()).open();
      await ensureFirstToken(store, GIVEN);
      await admin(store, 'second');
      await deleteToken(store, 'test', 'tok_first');
      await ensureFirstToken(store, 'another-one-given');
      expect(await find(store, 'another-one-given')).toMatchObject({ id: 'tok_first' });
      await expect(ensureFirstToken(store, GIVEN)).rejects.toThrow(
        'BELLHOP_ADMIN_TOKEN is a token that was deleted; choose another.',
      );
      expect(await find(store, GIVEN)).toBeUndefined();
      const rows = await store.db.selectFrom('token').select(['digest', 'revoked_at']).execute();
      expect(rows.find(({ digest }) => digest === digestOfToken(GIVEN))?.revoked_at).not.toBeNull();
    });

    test('replaces the one that was given before', async () => {
      const { store } = await (await freshPlace()).open();
      await ensureFirstToken(store, GIVEN);
      await ensureFirstToken(store, 'another-one-given');
      expect(await find(store, GIVEN)).toBeUndefined();
      await ensureFirstToken(store, GIVEN);
      expect(await find(store, GIVEN)).toMatchObject({ id: 'tok_first' });
      expect((await listTokens(store, {})).items).toHaveLength(1);
    });
  });

  describe('that expire', () => {
    async function expiring(role: 'admin' | 'viewer') {
      const clock = new ManualClock();
      const { store } = await (await freshPlace()).open(clock);
      const expires_at = new Date(clock.now() + 1_000).toISOString();
      const made = await createToken(store, 'test', { name: 'Temp', role, expires_at });
      return { clock, store, ...made, expires_at };
    }

    test('are valid until that moment, and stay in the list', async () => {
      const { clock, store, token, expires_at } = await expiring('viewer');
      expect(await find(store, token, clock.now() + 999)).toMatchObject({ name: 'Temp' });
      expect(await find(store, token, clock.now() + 1_000)).toBeUndefined();
      clock.advance(1_000);
      expect((await listTokens(store, {})).items).toMatchObject([{ name: 'Temp', expires_at }]);
    });

    test.each([
      ['now', 0, /must be in the future/],
      ['in the past', -1, /must be in the future/],
    ])('are not created if that is %s', async (_, ms, words) => {
      const clock = new ManualClock();
      const { store } = await (await freshPlace()).open(clock);
      const expires_at = new Date(clock.now() + ms).toISOString();
      const made = createToken(store, 'test', { name: 'Temp', role: 'viewer', expires_at });
      await expect(made).rejects.toMatchObject({
        code: 'validation_failed',
        message: expect.stringMatching(words),
        errors: [{ field: '/expires_at' }],
      });
    });

    test('do not count as the admin token that is left', async () => {
      const { clock, store, id } = await expiring('admin');
      const lasting = await admin(store, 'Ann');
      clock.advance(1_000);
      await expect(deleteToken(store, 'test', lasting.id)).rejects.toMatchObject({
        code: 'last_admin_token',
      });
      await deleteToken(store, 'test', id);
      expect((await listTokens(store, {})).items).toMatchObject([{ id: lasting.id }]);
    });
  });

  test('a change to a token is not committed without an audit row', async () => {
    const { store } = await (await freshPlace()).open();
    const { id } = await admin(store, 'Ann');
    const silent = store.change('test', ({ db }) => db.deleteFrom('token').execute());
    await expect(silent).rejects.toThrow('a change without an audit row');
    expect((await listTokens(store, {})).items).toMatchObject([{ id }]);
  });
});

describeWithPostgres('tokens on several nodes', (_empty, databaseWithTables) => {
  async function openNodes(count: number): Promise<BackOfficeStore[]> {
    const place = placeAt(await databaseWithTables());
    const nodes = await Promise.all(Array.from({ length: count }, () => place.open()));
    return nodes.map(({ store }) => store);
  }

  test('nodes that start at the same time agree on one generated admin token', async () => {
    const stores = await openNodes(4);
    const tokens = await Promise.all(stores.map((store) => ensureFirstToken(store, undefined)));
    const printed = tokens.filter((token) => token !== undefined);
    expect(printed).toHaveLength(1);
    expect(await find(stores[0] as BackOfficeStore, printed[0] as string)).toMatchObject({
      role: 'admin',
    });
  });

  test('nodes that start at the same time with the same admin token all start', async () => {
    for (let round = 0; round < 5; round++) {
      const stores = await openNodes(4);
      const [one] = stores as [BackOfficeStore];
      const start = (token: string) =>
        Promise.all(stores.map((store) => ensureFirstToken(store, token)));
      await start(GIVEN);
      expect(await find(one, GIVEN)).toMatchObject({ role: 'admin' });
      await start('another-one-given');
      expect(await find(one, GIVEN)).toBeUndefined();
      expect(await find(one, 'another-one-given')).toMatchObject({ role: 'admin' });
      await admin(one, 'second');
      await deleteToken(one, 'test', 'tok_first');
      await start('a-third-one-given');
      expect(await find(one, 'a-third-one-given')).toMatchObject({ id: 'tok_first' });
      await Promise.allSettled(stores.map((store) => ensureFirstToken(store, 'another-one-given')));
      expect(await find(one, 'another-one-given')).toBeUndefined();
    }
  });

  test('two admins who delete each other at the same time do not lock everyone out', async () => {
    const [here, there] = (await openNodes(2)) as [BackOfficeStore, BackOfficeStore];
    for (let round = 0; round < 10; round++) {
      const ann = await admin(here, 'Ann');
      const others = (await listTokens(here, {})).items.filter(({ id }) => id !== ann.id);
      const ben = others[0] ?? (await admin(here, 'Ben'));
      await Promise.allSettled([
        deleteToken(here, 'Ann', ben.id),
        deleteToken(there, 'Ben', ann.id),
      ]);
      expect((await listTokens(here, {})).items).toHaveLength(1);
    }
  });
});
