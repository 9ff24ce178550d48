/** The secret of a link, a cookie or a token: 256 random bits as text. Only its digest is stored. */
import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[\w-]{43}$/;

export interface RandomToken {
  token: string;
  digest: string;
}

export function newToken(prefix = ''): RandomToken {
  const token = prefix + randomBytes(32).toString('base64url');
  return { token, digest: digestOfToken(token) };
}

/** Undefined if it has not the form of a token without a prefix, which is not worth a look at the database. */
export function tokenIn(text: string | undefined): RandomToken | undefined {
  if (text === undefined || !TOKEN.test(text)) return undefined;
  return { token: text, digest: digestOfToken(text) };
}

export function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
