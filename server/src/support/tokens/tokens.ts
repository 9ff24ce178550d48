/**
 * Back-office tokens. They are 256 random bits, so a plain digest is a safe way to store them. They
 * belong to no environment and live in the back office's own store.
 */
import { createHash, randomBytes } from 'node:crypto';
import { ConfigError } from '../../config/config.ts';
import { newId } from '../../ids.ts';
import type { TokenRow } from '../../store/back-office/schema.ts';
import type { BackOfficeChange, BackOfficeStore } from '../../store/back-office/store.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { Problem } from '../problem.ts';

export const tokenRoles = ['viewer', 'support', 'admin', 'orders'] as const;
export type TokenRole = (typeof tokenRoles)[number];

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function newToken(): string {
  return `bh_${randomBytes(32).toString('base64url')}`;
}

export function showToken(row: TokenRow) {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    created_at: new Date(row.created_at).toISOString(),
  };
}

export type ShownToken = ReturnType<typeof showToken>;

export async function findToken(
  store: BackOfficeStore,
  token: string,
): Promise<TokenRow | undefined> {
  return store.db
    .selectFrom('token')
    .selectAll()
    .where('digest', '=', digestOf(token))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

export async function listTokens(
  store: BackOfficeStore,
  request: PageRequest,
): Promise<Page<ShownToken>> {
  const query = store.db.selectFrom('token').selectAll().where('revoked_at', 'is', null);
  const page = await pageOf(query, request, {
    time: 'created_at',
    id: 'id',
    of: (row) => [row.created_at, row.id],
  });
  return { ...page, items: page.items.map(showToken) };
}

export async function createToken(
  store: BackOfficeStore,
  actor: string,
  input: { name: string; role: TokenRole },
) {
  const token = newToken();
  return store.change(actor, async ({ db, now, audit }) => {
    const row: TokenRow = {
      id: newId('tok', now),
      ...input,
      digest: digestOf(token),
      created_at: now,
      revoked_at: null,
    };
    await db.insertInto('token').values(row).execute();
    await audit('token.create', row.id, null, showToken(row));
    return { ...showToken(row), token };
  });
}

export async function deleteToken(
  store: BackOfficeStore,
  actor: string,
  id: string,
): Promise<void> {
  await store.change(actor, async ({ db, now, audit }) => {
    // Locks the admins' tokens, so that two admins cannot delete each other at the same moment.
    await db
      .updateTable('token')
      .set({ role: 'admin' })
      .where('role', '=', 'admin')
      .where('revoked_at', 'is', null)
      .execute();
    const living = await db
      .selectFrom('token')
      .selectAll()
      .where('revoked_at', 'is', null)
      .execute();
    const row = living.find((token) => token.id === id);
    if (!row) throw new Problem('token_not_found');
    const admins = living.filter((token) => token.role === 'admin');
    if (row.role === 'admin' && admins.length === 1) throw new Problem('last_admin_token');
    await db.updateTable('token').set({ revoked_at: now }).where('id', '=', id).execute();
    await audit('token.delete', id, showToken(row), null);
  });
}

const FIRST_TOKEN = 'tok_first';

/**
 * The first token, with which someone can make the others. A given one replaces the one given before,
 * unless it was deleted: deleting it is for good, however often the process starts with it. Without one,
 * a token is made if there is none at all, and returned to be printed once.
 */
export async function ensureFirstToken(
  store: BackOfficeStore,
  given: string | undefined,
): Promise<string | undefined> {
  const any = await store.db.selectFrom('token').select('id').limit(1).executeTakeFirst();
  if (given === undefined && any) return undefined;
  const token = given ?? newToken();
  const digest = digestOf(token);
  const known = await store.db
    .selectFrom('token')
    .selectAll()
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (known && known.revoked_at !== null && known.id !== FIRST_TOKEN) {
    throw new ConfigError('BELLHOP_ADMIN_TOKEN is a token that was deleted; choose another.');
  }
  if (known) return undefined;
  try {
    await store.change('start', (change) => putFirstToken(change, digest, given !== undefined));
  } catch (error) {
    if (error instanceof MadeMeanwhile) return undefined;
    throw error;
  }
  return given === undefined ? token : undefined;
}

/** Another node that started at the same moment was faster. */
class MadeMeanwhile extends Error {}

async function putFirstToken(
  { db, now, audit }: BackOfficeChange,
  digest: string,
  replace: boolean,
): Promise<void> {
  const row: TokenRow = {
    id: FIRST_TOKEN,
    name: 'admin',
    role: 'admin',
    digest,
    created_at: now,
    revoked_at: null,
  };
  // A deleted one is kept under another id, or it could come back when it is given again later.
  await db
    .updateTable('token')
    .set({ id: newId('tok', now) })
    .where('id', '=', FIRST_TOKEN)
    .where('revoked_at', 'is not', null)
    .execute();
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('token')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) {
    if (!replace) throw new MadeMeanwhile();
    const { numUpdatedRows } = await db
      .updateTable('token')
      .set({ digest })
      .where('id', '=', FIRST_TOKEN)
      .where('digest', '<>', digest)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new MadeMeanwhile();
  }
  await audit('token.create', row.id, null, showToken(row));
}
