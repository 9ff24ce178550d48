import { randomUUID } from 'node:crypto';
import {
  MOST_PREVIOUS_KEYS,
  type PreviousKey,
  previousKeysOf,
  toPreviousKeyColumns,
} from '../../previous-keys.ts';
import type { ApiKeyRow } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';
import { keyToChange, type ShownKey, showKey } from './keys.ts';
import { patchKey } from './queries.ts';

/** By default, the partner has a day to install the new API key on all its machines. */
export const DEFAULT_OVERLAP_SECONDS = 86_400;
export const LONGEST_OVERLAP_SECONDS = 30 * 86_400;

export interface RotationInput {
  overlap_seconds?: number;
  end_overlaps?: boolean;
}

/** The key id stays the same, and with it the grants, the limits and the calls counted so far. */
export async function rotateKey(
  { store, vault }: SupportEnvironment,
  actor: string,
  keyId: string,
  input: RotationInput,
): Promise<ShownKey & { api_key: string }> {
  const apiKey = randomUUID();
  return store.change(actor, async ({ db, now, audit, invalidate }) => {
    const before = await keyToChange(db, keyId);
    const columns = {
      sealed_key: vault.seal(keyId, apiKey),
      digest: vault.digest(keyId, apiKey),
      ...toPreviousKeyColumns(previousKeysAfter(before, input, now)),
    };
    await patchKey(db, keyId, columns);
    await invalidate([keyId]);
    const after = showKey({ ...before, ...columns });
    await audit('key.rotate', keyId, showKey(before), after);
    const { key_id, ...rest } = after;
    return { key_id, api_key: apiKey, ...rest };
  });
}

/**
 * A promised overlap lasts to its end, even if the key is rotated again in the meantime. If there are too
 * many, the rotation is refused: it never cuts an overlap short.
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
