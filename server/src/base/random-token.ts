/** The secret of a link or a cookie: 256 random bits as text. Only its digest is stored. */
import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[\w-]{43}$/;

export function newToken(): { token: string; digest: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, digest: digestOfToken(token) };
}

/** Undefined if it has not the form of a token, which is not worth a look at the database. */
export function digestIfToken(text: string): string | undefined {
  return TOKEN.test(text) ? digestOfToken(text) : undefined;
}

function digestOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
