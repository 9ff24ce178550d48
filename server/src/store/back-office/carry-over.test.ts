/** Tokens and sessions of a database from before the back office had a store of its own. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support.ts';
import {
  type BackOfficePlace,
  type OpenBackOffice,
  placeAt,
  placeIn,
} from '../../../testing/back-office-store.ts';
import {
  describeWithOldDatabase,
  type OldDatabase,
  vault,
} from '../../../testing/databases/old-database.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { createOwnPages } from '../../back-office/own-pages.ts';
import { createSessions } from '../../back-office/session.ts';
import {
  digestOf,
  ensureFirstToken,
  findToken,
  listTokens,
} from '../../resources/tokens/tokens.ts';

const FIRST = 'the-first-token-of-the-old-database';
const SESSION_ID = 's'.repeat(43);
const request = { headers: { cookie: `bellhop_session=${SESSION_ID}` }, socket: {} };

const tokenRow = (id: string, token: string, revokedAt: number | null = null) =>
  `insert into token (id, name, role, digest, created_at, revoked_at)
   values ('${id}', '${id}', 'admin', '${digestOf(token)}', 1000, ${revokedAt})`;

describeWithOldDatabase('tokens and sessions of the version before', (freshOld) => {
  const clock = new ManualClock();

  async function filled(): Promise<BackOfficePlace> {
    const old = await freshOld();
    await old.query('delete from token');
    await old.query(tokenRow('tok_first', FIRST));
    await old.query(tokenRow('tok_ann', 'of Ann'));
    await old.query(tokenRow('tok_gone', 'deleted', 2_000));
    await old.query(`insert into session (digest, token_digest, created_at, used_at)
      values ('${digestOf(SESSION_ID)}', '${digestOf('of Ann')}', ${clock.now()}, ${clock.now()})`);
    return placeOf(old);
  }

  test('are all there: people stay signed in, deleted tokens stay deleted', async () => {
    const place = await filled();
    const { store, close } = await place.open(clock);
    await expectAll(store);
    await close();

    // And at the next start.
    const again = await place.open(clock);
    await expectAll(again.store);
    expect(await oldTables(again)).toEqual([]);
  });

  test('are moved again if a crash came before the old tables were gone', async () => {
    const place = await filled();
    const { store, home, close } = await place.open(clock);
    await sql`create table token (id text, name text, role text, digest text, created_at bigint,
              revoked_at bigint)`.execute(home.db);
    await sql`insert into token values ('tok_ann', 'Ann', 'admin', ${digestOf('of Ann')}, 1000, null)`.execute(
      home.db,
    );
    await store.change('test', async ({ db, audit }) => {
      await db
        .updateTable('token')
        .set({ revoked_at: 3_000 })
        .where('id', '=', 'tok_ann')
        .execute();
      await audit('token.delete', 'tok_ann', null, null);
    });
    await close();
    const again = await place.open(clock);
    expect(await oldTables(again)).toEqual([]);
    // What was deleted since then stays deleted.
    expect(await findToken(again.store, 'of Ann', clock.now())).toBeUndefined();
    expect(await findToken(again.store, FIRST, clock.now())).toMatchObject({ id: 'tok_first' });
  });

  async function expectAll(store: OpenBackOffice['store']): Promise<void> {
    expect(await ensureFirstToken(store, FIRST)).toBeUndefined();
    const { items } = await listTokens(store, {});
    expect(items.map(({ id }) => id)).toEqual(['tok_first', 'tok_ann']);
    expect(await findToken(store, 'of Ann', clock.now())).toMatchObject({
      id: 'tok_ann',
      role: 'admin',
    });
    expect(await findToken(store, 'deleted', clock.now())).toBeUndefined();
    const sessions = createSessions(store, clock, createOwnPages([]));
    expect(await sessions.find(request)).toMatchObject({ token: { id: 'tok_ann' } });
  }
});

async function placeOf(old: OldDatabase): Promise<BackOfficePlace> {
  if (old.engine === 'postgres') return placeAt(old.where, vault);
  const dataDir = await temporaryFolder();
  await rename(old.where, join(dataDir, 'production'));
  return placeIn(dataDir, vault);
}

async function oldTables({ home }: OpenBackOffice): Promise<string[]> {
  const tables = await home.db.introspection.getTables();
  return tables
    .filter(({ schema }) => schema === undefined || schema === 'bellhop')
    .map(({ name }) => name)
    .filter((name) => name === 'token' || name === 'session');
}
