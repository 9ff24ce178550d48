/** The first token, which the main thread ensures when the process starts. */
import { ConfigError } from '../../base/config/config.ts';
import { newId } from '../../base/ids.ts';
import { digestOfToken, newToken } from '../../base/random-token.ts';
import type { TokenRow } from '../../store/back-office/schema.ts';
import { endSessions } from '../../store/back-office/sessions.ts';
import type { BackOfficeChange, BackOfficeStore } from '../../store/back-office/store.ts';
import {
  hasToken,
  insertTokenIfNew,
  readToken,
  renameRevokedToken,
  replaceDigest,
} from './queries.ts';
import { showToken, TOKEN_PREFIX } from './token.ts';

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
  const token = given ?? newToken(TOKEN_PREFIX).token;
  const digest = digestOfToken(token);
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
    await endSessions(db, { tokenDigest: replaced });
  }
  await audit('token.create', row.id, null, showToken(row));
}
