import { randomBytes, randomInt } from 'node:crypto';

/** `par_019a…`: says what it names, sorts by the time it was made, cannot be guessed. */
export function newId(prefix: 'par' | 'mid' | 'del' | 'tok' | 'aud', nowMs: number): string {
  return `${prefix}_${nowMs.toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`;
}

/** Key ids are digits only, and short enough to be read out on the telephone. */
export function newKeyId(): string {
  return String(randomInt(1_000_000_000, 10_000_000_000));
}

const POOL_BYTES = 4_096;
let pool = '';
let used = 0;

/**
 * 32 hex digits. Drawn from the system for 128 ids at a time, to keep the draw off most requests;
 * what that saves has not been measured.
 */
export function newRequestId(): string {
  if (used >= pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += 32;
  return pool.slice(used - 32, used);
}
