/**
 * Back-office tokens. They have 256 random bits, so it is safe to store a plain digest. They belong to no
 * environment: the back office has its own store for them.
 */
import type { Static } from 'typebox';
import { newId } from '../../base/ids.ts';
import { digestOfToken, newToken } from '../../base/random-token.ts';
import type { TokenRow } from '../../store/back-office/schema.ts';
import { endSessions } from '../../store/back-office/sessions.ts';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { givenTime, input, name, orNull, reply, time, words } from '../forms.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { endPreviews } from '../portal/previews.ts';
import { checkExpiry, Problem, readTimeOrNull } from '../problem.ts';
import { Type } from '../type.ts';
import { insertToken, lockTokens, newestTokens, readToken, revokeToken } from './queries.ts';
import { showToken, TOKEN_PREFIX } from './token.ts';

const tokenRoles = ['viewer', 'support', 'admin', 'orders'] as const;
export type TokenRole = (typeof tokenRoles)[number];

export const Role = words(tokenRoles, {
  title: 'Role',
  description:
    '`viewer` reads. `support` also changes. `admin` also manages tokens, and imports and exports everything, API keys included. `orders` may only post order events.',
});

export const NewToken = input('NewToken', {
  name: like(story.person, name(1, 200)),
  role: Role,
  expires_at: Type.Optional(orNull(givenTime())),
});

export const Token = reply('Token', {
  id: like(story.tokenId),
  name: like(story.person),
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
  token: like(story.token, 'Shown only this once.'),
});

/** Undefined if there is no such token, or if it was deleted or has expired. */
export async function findToken(
  store: BackOfficeStore,
  token: string,
  nowMs: number,
): Promise<TokenRow | undefined> {
  const row = await readToken(store.signIns, digestOfToken(token));
  return row?.revoked_at === null && !isExpired(row, nowMs) ? row : undefined;
}

export function isExpired({ expires_at }: TokenRow, nowMs: number): boolean {
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
  const { token, digest } = newToken(TOKEN_PREFIX);
  const expiresAt = readTimeOrNull(expires_at, '/expires_at');
  return store.change(actor, async ({ db, now, audit }) => {
    checkExpiry(expiresAt, now, 'token');
    const row: TokenRow = {
      id: newId('tok', now),
      name,
      role,
      digest,
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
    await endSessions(db, { tokenDigest: row.digest });
    await audit('token.delete', id, showToken(row), null);
  });
}

/**
 * Deletes the token, and ends what was opened with it in every environment. Those have databases of their own. If one of
 * them is away, the request fails, and repeating it ends the rest, although the token is already gone.
 */
export async function deleteTokenEverywhere(
  environments: Iterable<SupportEnvironment>,
  store: BackOfficeStore,
  actor: string,
  id: string,
): Promise<void> {
  const refused = await deleteToken(store, actor, id).catch((error: unknown) => error);
  if (refused !== undefined && !isGone(refused)) throw refused;
  await endPreviews(environments, actor, id);
  if (refused !== undefined) throw refused;
}

function isGone(error: unknown): boolean {
  return error instanceof Problem && error.code === 'token_not_found';
}
