import { randomUUID } from 'node:crypto';
import {
  MOST_PREVIOUS_KEYS,
  type PreviousKey,
  previousKeysOf,
  toPreviousKeyColumns,
} from '../../previous-keys.ts';
import type { ApiKeyRow } from '../../store/schema.ts';
import type { Desk } from '../environment.ts';
import { Problem } from '../problem.ts';
import { findLivingKey, type ShownKey, showKey } from './keys.ts';

/** By default the partner has a day to bring the new API key to all its machines. */
export const DEFAULT_OVERLAP_SECONDS = 86_400;
export const LONGEST_OVERLAP_SECONDS = 30 * 86_400;

export interface RotationInput {
  overlap_seconds?: number;
  end_overlaps?: boolean;
}

/** The key id stays, and with it the grants, the limits and what is used up of them. */
export async function rotateKey(
  desk: Desk,
  actor: string,
  keyId: string,
  input: RotationInput,
): Promise<ShownKey & { api_key: string }> {
  const apiKey = randomUUID();
  return desk.store.change(actor, async ({ db, now, audit, keysChanged }) => {
    const before = await findLivingKey(db, keyId);
    const set = {
      sealed_key: desk.vault.seal(keyId, apiKey),
      digest: desk.vault.digest(keyId, apiKey),
      ...toPreviousKeyColumns(previousKeysAfter(before, input, now)),
    };
    // Two rotations at once would each show an API key, and one of them would never work.
    const { numUpdatedRows } = await db
      .updateTable('api_key')
      .set(set)
      .where('key_id', '=', keyId)
      .where('digest', '=', before.digest)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Problem('changed_meanwhile');
    await keysChanged([keyId]);
    const after = showKey({ ...before, ...set });
    await audit('key.rotate', keyId, showKey(before), after);
    const { key_id, ...rest } = after;
    return { key_id, api_key: apiKey, ...rest };
  });
}

/**
 * An overlap that was promised to a partner is kept, also when the key is rotated again meanwhile. When
 * there are too many, the rotation is refused rather than an overlap cut short.
 */
function previousKeysAfter(
  before: ApiKeyRow,
  { overlap_seconds = DEFAULT_OVERLAP_SECONDS, end_overlaps = false }: RotationInput,
  now: number,
): PreviousKey[] {
  const inForce = previousKeysOf(before).filter(({ untilMs }) => untilMs > now);
  const kept = end_overlaps ? [] : inForce;
  if (overlap_seconds === 0) return kept;
  const replaced = {
    digest: before.digest,
    sealed: before.sealed_key,
    untilMs: now + overlap_seconds * 1_000,
  };
  if (kept.length >= MOST_PREVIOUS_KEYS) throw new Problem('too_many_overlaps');
  return [replaced, ...kept];
}
