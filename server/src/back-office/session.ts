/**
 * A browser signed in to the console. The cookie holds 256 random bits, the database only their
 * digest and the token's. So a session works on every node, survives a restart, and ends with its
 * token.
 */
import { randomBytes } from 'node:crypto';
import { stringifySetCookie } from 'cookie';
import type { Clock } from '../clock.ts';
import type { TokenRow } from '../store/back-office/schema.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { storageTroubleOf } from '../store/storage-trouble.ts';
import { digestOf } from '../support/tokens/tokens.ts';
import type { BrowserRequest, OwnPages } from './own-pages.ts';

/** Without use. What a page requests in the background does not count as use. */
export const SESSION_IDLE_MS = 8 * 3_600_000;
export const SESSION_LIFE_MS = 7 * 86_400_000;
/** A use is recorded at most this often. */
const TOUCH_MS = 60_000;

/**
 * The prefix has the browser refuse a cookie of that name from another subdomain, another path or an
 * unencrypted page. Plain http on loopback cannot have it, since it needs Secure.
 */
const COOKIE_OVER_TLS = '__Host-bellhop_session';
const COOKIE = 'bellhop_session';
const ID = /^[\w-]{43}$/;

export interface Sessions {
  /** The `Set-Cookie` of a new session. */
  open(token: TokenRow, request: BrowserRequest): Promise<string>;
  /** The token that the request's session was opened with; undefined if there is none or it ended. */
  find(request: BrowserRequest): Promise<TokenRow | undefined>;
  /** The `Set-Cookie` that makes the browser forget. */
  close(request: BrowserRequest): Promise<string>;
}

export function createSessions(
  { db }: BackOfficeStore,
  clock: Clock,
  { isOverTls }: Pick<OwnPages, 'isOverTls'>,
): Sessions {
  const cookieNameFor = (request: BrowserRequest) =>
    isOverTls(request) ? COOKIE_OVER_TLS : COOKIE;

  /** If there are two cookies of that name, one was planted, and we cannot tell which. */
  function digestIn(request: BrowserRequest): string | undefined {
    const [id, ...others] = cookiesIn(request, cookieNameFor(request));
    if (id === undefined || others.length > 0 || !ID.test(id)) return undefined;
    return digestOf(id);
  }

  function cookie(value: string, request: BrowserRequest): string {
    return stringifySetCookie({
      name: cookieNameFor(request),
      value,
      path: '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: isOverTls(request),
      ...(value === '' && { maxAge: 0 }),
    });
  }

  async function deleteEnded(): Promise<void> {
    const nowMs = clock.now();
    await db
      .deleteFrom('session')
      .where((where) =>
        where.or([
          where('used_at', '<=', nowMs - SESSION_IDLE_MS),
          where('created_at', '<=', nowMs - SESSION_LIFE_MS),
        ]),
      )
      .execute();
  }

  async function forget(request: BrowserRequest): Promise<void> {
    const digest = digestIn(request);
    if (digest !== undefined) {
      await db.deleteFrom('session').where('digest', '=', digest).execute();
    }
  }

  async function touch(digest: string, nowMs: number): Promise<void> {
    await db
      .updateTable('session')
      .set({ used_at: nowMs })
      .where('digest', '=', digest)
      .where('used_at', '<=', nowMs - TOUCH_MS)
      .execute();
  }

  return {
    async open(token, request) {
      await forget(request);
      await deleteEnded();
      const id = randomBytes(32).toString('base64url');
      const nowMs = clock.now();
      await db
        .insertInto('session')
        .values({
          digest: digestOf(id),
          token_digest: token.digest,
          created_at: nowMs,
          used_at: nowMs,
        })
        .execute();
      return cookie(id, request);
    },

    async find(request) {
      const digest = digestIn(request);
      if (digest === undefined) return undefined;
      const nowMs = clock.now();
      const found = await db
        .selectFrom('session')
        .innerJoin('token', 'token.digest', 'session.token_digest')
        .selectAll('token')
        .select('session.used_at')
        .where('session.digest', '=', digest)
        .where('session.used_at', '>', nowMs - SESSION_IDLE_MS)
        .where('session.created_at', '>', nowMs - SESSION_LIFE_MS)
        .where('token.revoked_at', 'is', null)
        .executeTakeFirst();
      if (!found) return undefined;
      const { used_at, ...token } = found;
      if (used_at <= nowMs - TOUCH_MS && !isBackground(request)) {
        // On a full disk people can still read; at worst their session ends a little early.
        await touch(digest, nowMs).catch((error) => {
          if (!storageTroubleOf(error)) throw error;
        });
      }
      return token;
    },

    async close(request) {
      await forget(request);
      return cookie('', request);
    },
  };
}

/** All of that name: the library's own parser would return the first and hide the others. */
function cookiesIn({ headers }: BrowserRequest, name: string): string[] {
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** An open page polls; that must not keep its session alive. */
function isBackground({ headers }: BrowserRequest): boolean {
  return headers['x-bellhop-background'] === '1';
}
