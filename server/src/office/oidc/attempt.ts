/**
 * A sign-in that is in progress at the provider. The browser keeps it in a cookie, so no node has to remember it
 * and a stranger can fill no table with it. State, nonce and PKCE verifier are derived from the cookie's random
 * seed: a reply of the provider is accepted only in the browser that began the sign-in, and only with the same
 * start time and return path.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';

/** Time to sign in at the provider. */
export const ATTEMPT_LIFE_MS = 10 * 60_000;
export const LONGEST_RETURN_PATH = 1_000;

export interface Attempt {
  /** The value of the cookie. */
  cookie: string;
  state: string;
  nonce: string;
  /** PKCE: only its digest goes through the browser. */
  verifier: string;
  challenge: string;
  /** A path of the console. */
  returnPath: string;
}

export function beginAttempt(nowMs: number, returnTo: unknown): Attempt {
  return attemptOf(randomBytes(32).toString('base64url'), nowMs, pathOfConsole(returnTo));
}

const COOKIE = /^([\w-]{43})\.(\d{1,16})\.([\w-]{2,4000})$/;

/** Undefined if the cookie is not one of ours, or the attempt has taken too long. */
export function readAttempt(cookie: string, nowMs: number): Attempt | undefined {
  const [, seed, startedAt, encodedPath] = COOKIE.exec(cookie) ?? [];
  if (!seed || !startedAt || !encodedPath) return undefined;
  const ageMs = nowMs - Number(startedAt);
  if (ageMs < 0 || ageMs > ATTEMPT_LIFE_MS) return undefined;
  const path = Buffer.from(encodedPath, 'base64url').toString();
  return attemptOf(seed, Number(startedAt), pathOfConsole(path));
}

function attemptOf(seed: string, startedAtMs: number, returnPath: string): Attempt {
  const cookie = `${seed}.${startedAtMs}.${Buffer.from(returnPath).toString('base64url')}`;
  const derive = (what: string) =>
    createHmac('sha256', seed).update(`${what} ${cookie}`).digest('base64url');
  const verifier = derive('verifier');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return {
    cookie,
    state: derive('state'),
    nonce: derive('nonce'),
    verifier,
    challenge,
    returnPath,
  };
}

/** Never leads to another site: browsers read `//host`, `/\host` and `/<tab>/host` as addresses of one. */
function pathOfConsole(text: unknown): string {
  if (typeof text !== 'string' || text.length > LONGEST_RETURN_PATH) return '/';
  const base = 'http://console.invalid';
  const url = text.startsWith('/') ? URL.parse(text, base) : null;
  if (url?.origin !== base) return '/';
  // A path such as /.//host has become //host.
  return `/${url.pathname.replace(/^\/+/, '')}${url.search}`;
}
