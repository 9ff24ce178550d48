/**
 * A number as text that tells neither the number nor how it compares with others: one block of AES, which is a permutation.
 * Half of the block is zero, so that hardly any text that somebody makes up is a number.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';

const BLOCK_BYTES = 16;
const ALGORITHM = 'aes-256-ecb';
const WHOLE = /^[0-9a-f]{32}$/;
/** As a pattern, for a place in another one. */
export const HIDDEN_NUMBER = WHOLE.source.slice(1, -1);

export function hideNumber(key: Buffer, number: number): string {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.writeBigUInt64BE(BigInt(number), BLOCK_BYTES / 2);
  const cipher = createCipheriv(ALGORITHM, key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]).toString('hex');
}

/** Undefined if it was not hidden with this key. */
export function revealNumber(key: Buffer, hidden: string): number | undefined {
  if (!WHOLE.test(hidden)) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(hidden, 'hex'), decipher.final()]);
  const number = Number(block.readBigUInt64BE(BLOCK_BYTES / 2));
  return block.readBigUInt64BE(0) === 0n && Number.isSafeInteger(number) ? number : undefined;
}
