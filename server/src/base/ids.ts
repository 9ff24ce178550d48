import { randomBytes, randomInt } from 'node:crypto';

/** `par_019a…`: shows its kind, sorts by creation time, and cannot be guessed. */
export function newId(
  prefix:
    | 'par'
    | 'mid'
    | 'del'
    | 'tok'
    | 'per'
    | 'aud'
    | 'lrq'
    | 'not'
    | 'pln'
    | 'pse'
    | 'wsh'
    | 'ntc'
    | 'mai',
  nowMs: number,
): string {
  return `${prefix}_${nowMs.toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`;
}

/** Key ids have only digits, and few enough to read out on the phone. */
export function newKeyId(): string {
  return String(randomInt(1_000_000_000, 10_000_000_000));
}

const POOL_BYTES = 4_096;
let pool = '';
let used = 0;

/** 32 hex digits, which is also the form of a trace id. */
export function newRequestId(): string {
  return randomHex(32);
}

/** 16 hex digits. */
export function newSpanId(): string {
  return randomHex(16);
}

/**
 * The random bytes for 128 request ids are fetched at once, so that most requests need no system call. The
 * saving has not been measured.
 */
function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += digits;
  return pool.slice(used - digits, used);
}
