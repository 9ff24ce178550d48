import { randomUUID } from 'node:crypto';
import type { Desk } from './desk.ts';
import { findLivingKey, type ShownKey, showKey } from './keys.ts';
import { Problem } from './problem.ts';

/** When nothing is said: a day in which the partner can bring the new key to all its machines. */
export const DEFAULT_OVERLAP_SECONDS = 86_400;
export const LONGEST_OVERLAP_SECONDS = 30 * 86_400;

/** The key id stays, and with it grants, limits and what is used up of them. */
export async function rotateKey(
  desk: Desk,
  actor: string,
  keyId: string,
  input: { overlap_seconds?: number },
): Promise<ShownKey & { api_key: string }> {
  const overlapSeconds = input.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS;
  const apiKey = randomUUID();
  return desk.store.change(actor, async ({ db, now, audit, keysChanged }) => {
    const before = await findLivingKey(db, keyId);
    const overlaps = overlapSeconds > 0;
    const set = {
      sealed_key: desk.vault.seal(keyId, apiKey),
      digest: desk.vault.digest(keyId, apiKey),
      previous_sealed_key: overlaps ? before.sealed_key : null,
      previous_digest: overlaps ? before.digest : null,
      previous_until: overlaps ? now + overlapSeconds * 1_000 : null,
    };
    // Two rotations at once would each show a key, and one of them would be dead on arrival.
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
