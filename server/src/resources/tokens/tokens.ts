/**
 * Back-office tokens. They have 256 random bits, so it is safe to store a plain digest. They belong to no
 * environment: the back office has its own store for them.
 */
import { createHash, randomBytes } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { ConfigError } from '../../config/config.ts';
import { newId } from '../../ids.ts';
import type { TokenRow } from '../../store/back-office/schema.ts';
import { deleteSessionsOfToken } from '../../store/back-office/sessions.ts';
import type { BackOfficeChange, BackOfficeStore } from '../../store/back-office/store.ts';
import { isoOrNull } from '../environment.ts';
import { givenTime, input, orNull, reply, text, time, words } from '../forms.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { checkExpiry, Problem, readTimeOrNull } from '../problem.ts';
import {
  hasToken,
  insertToken,
  insertTokenIfNew,
  lockTokens,
  newestTokens,
  readToken,
  renameRevokedToken,
  replaceDigest,
  revokeToken,
} from './queries.ts';

export const tokenRoles = ['viewer', 'support', 'admin', 'orders'] as const;
export type TokenRole = (typeof tokenRoles)[number];

export const Role = words(tokenRoles, {
  title: 'Role',
  description:
    '`viewer` reads. `support` also changes. `admin` also manages tokens, and imports and exports everything, API keys included. `orders` may only post order events.',
});

export const NewToken = input('NewToken', {
  name: text(1, 200),
  role: Role,
  expires_at: Type.Optional(orNull(givenTime())),
});

export const Token = reply('Token', {
  id: Type.String(),
  name: Type.String(),
  role: Role,
  created_at: time,
  expires_at: orNull(time),
  last_used_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'Accurate to a minute, sessions of the console included.',
    }),
  ),
});

export const TokenWithSecret = reply('TokenWithSecret', {
  ...Token.properties,
  token: Type.String({ description: 'Shown only this once.' }),
});

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function newToken(): string {
  return `bh_${randomBytes(32).toString('base64url')}`;
}

function showToken(row: TokenRow): Static<typeof Token> {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: isoOrNull(row.expires_at),
    last_used_at: isoOrNull(row.last_used_at),
  };
}

/** Undefined if there is no such token, or if it was deleted or has expired. */
export async function findToken(
  store: BackOfficeStore,
  token: string,
  nowMs: number,
): Promise<TokenRow | undefined> {
  const row = await readToken(store.signIns, digestOf(token));
  return row?.revoked_at === null && !isExpired(row, nowMs) ? row : undefined;
}

function isExpired({ expires_at }: TokenRow, nowMs: number): boolean {
  return expires_at !== null && expires_at <= nowMs;
}

export async function listTokens(
  store: BackOfficeStore,
  request: PageRequest,
): Promise<Page<Static<typeof Token>>> {
  return pageOf(request, {
    read: (slice) => newestTokens(store.db, slice),
    positionOf: (row) => [row.created_at, row.id],
    show: showToken,
  });
}

export async function createToken(
  store: BackOfficeStore,
  actor: string,
  { name, role, expires_at }: Static<typeof NewToken>,
): Promise<Static<typeof TokenWithSecret>> {
  const token = newToken();
  const expiresAt = readTimeOrNull(expires_at, '/expires_at');
  return store.change(actor, async ({ db, now, audit }) => {
    checkExpiry(expiresAt, now, 'token');
    const row: TokenRow = {
      id: newId('tok', now),
      name,
      role,
      digest: digestOf(token),
      created_at: now,
      revoked_at: null,
      expires_at: expiresAt,
      last_used_at: null,
    };
    await insertToken(db, row);
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
    const tokens = await lockTokens(db);
    const row = tokens.find((token) => token.id === id);
    if (!row) throw new Problem('token_not_found');
    const othersAdmin = tokens.some(
      (token) => token.role === 'admin' && token.id !== id && !isExpired(token, now),
    );
    if (row.role === 'admin' && !othersAdmin && !isExpired(row, now))
      throw new Problem('last_admin_token');
    await revokeToken(db, id, now);
    await deleteSessionsOfToken(db, row.digest);
    await audit('token.delete', id, showToken(row), null);
  });
}

const FIRST_TOKEN = 'tok_first';

/**
 * Makes sure that there is a first token, with which people can create the others. A given token replaces
 * the one given before. A given token that was deleted stays deleted, however often the process starts with
 * it. If none is given and there is no token at all, this generates one and returns it, to be printed once.
 */
export async function ensureFirstToken(
  store: BackOfficeStore,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined && (await hasToken(store.db))) return undefined;
  const token = given ?? newToken();
  const digest = digestOf(token);
  const known = await readToken(store.db, digest);
  if (known && known.revoked_at !== null && known.id !== FIRST_TOKEN) {
    throw new ConfigError('BELLHOP_ADMIN_TOKEN is a token that was deleted; choose another.');
  }
  if (known) return undefined;
  try {
    await store.change('start', (change) => putFirstToken(change, digest, given !== undefined));
  } catch (error) {
    if (error instanceof CreatedMeanwhile) return undefined;
    throw error;
  }
  return given === undefined ? token : undefined;
}

/** Another node, which started at the same time, has created the token. */
class CreatedMeanwhile extends Error {}

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
    expires_at: null,
    last_used_at: null,
  };
  // A deleted token keeps its row under another id. Otherwise it would work again when it is given later.
  await renameRevokedToken(db, FIRST_TOKEN, newId('tok', now));
  if (!(await insertTokenIfNew(db, row))) {
    const replaced = replace ? await replaceDigest(db, FIRST_TOKEN, digest) : undefined;
    if (replaced === undefined) throw new CreatedMeanwhile();
    // They have ended. They would come back if the token before were given again.
    await deleteSessionsOfToken(db, replaced);
  }
  await audit('token.create', row.id, null, showToken(row));
}
