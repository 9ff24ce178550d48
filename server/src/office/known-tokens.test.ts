import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../../test/support.ts';
import { describeOnEachBackOffice, placeAt } from '../../testing/back-office-store.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { createToken, deleteToken } from '../resources/tokens/tokens.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { BELIEVED_MS, createKnownTokens } from './known-tokens.ts';

/** Counts how often tokens are read. */
function counting(store: BackOfficeStore) {
  const reads = { count: 0 };
  const counted: BackOfficeStore = {
    ...store,
    get signIns() {
      reads.count++;
      return store.signIns;
    },
  };
  return { reads, counted };
}

const newToken = (store: BackOfficeStore, expires_at: string | null = null) =>
  createToken(store, 'test', { name: 'orders', role: 'orders', expires_at });

describeOnEachBackOffice('known tokens', (freshPlace) => {
  async function opened() {
    const clock = new ManualClock();
    const { store: inner } = await (await freshPlace()).open(clock);
    const { reads, counted } = counting(inner);
    const tokens = createKnownTokens(counted, clock);
    reads.count = 0;
    return { clock, inner, reads, tokens };
  }

  test('are read once, and again when they have been believed for long enough', async () => {
    const { clock, inner, reads, tokens } = await opened();
    const { id, token } = await newToken(inner);
    expect(await tokens.find(token)).toMatchObject({ id });
    for (let requests = 0; requests < 100; requests++) {
      expect(tokens.recall(token)).toMatchObject({ id });
    }
    expect(reads.count).toBe(1);
    clock.advance(BELIEVED_MS);
    expect(await tokens.find(token)).toMatchObject({ id });
    expect(reads.count).toBe(2);
  });

  test('are unknown at once when they are deleted here', async () => {
    const { inner, tokens } = await opened();
    const { id, token } = await newToken(inner);
    await tokens.find(token);
    await deleteToken(tokens.store, 'test', id);
    expect(await tokens.find(token)).toBeUndefined();
  });

  test('are not remembered as they were before a change that was made during the read', async () => {
    const { inner, tokens } = await opened();
    const { id, token } = await newToken(inner);
    const before = tokens.find(token);
    const deleting = deleteToken(tokens.store, 'test', id);
    await Promise.all([before, deleting]);
    expect(await tokens.find(token)).toBeUndefined();
  });

  test('are unknown as soon as they expire', async () => {
    const { clock, inner, tokens } = await opened();
    const expiry = new Date(clock.now() + BELIEVED_MS / 2).toISOString();
    const { id, token } = await newToken(inner, expiry);
    expect(await tokens.find(token)).toMatchObject({ id });
    clock.advance(BELIEVED_MS / 2 - 1);
    expect(tokens.recall(token)).toMatchObject({ id });
    clock.advance(1);
    expect(tokens.recall(token)).toBeUndefined();
  });

  test('that do not exist are looked up each time', async () => {
    const { reads, tokens } = await opened();
    for (let requests = 0; requests < 3; requests++) {
      expect(await tokens.find('bh_unknown')).toBeUndefined();
    }
    expect(reads.count).toBe(3);
  });
});

describeWithPostgres('a token that another node has deleted', (_empty, databaseWithTables) => {
  test('is refused within a second', async () => {
    const place = placeAt(await databaseWithTables());
    const { store: here } = await place.open();
    const { store: there } = await place.open();
    const clock = new ManualClock();
    const tokens = createKnownTokens(here, clock);
    const { id, token } = await newToken(there);
    expect(await tokens.find(token)).toMatchObject({ id });
    await deleteToken(there, 'test', id);
    clock.advance(999);
    expect(await tokens.find(token)).toBeUndefined();
  });
});
