import type { Desk } from '../environment.ts';
import { readAllowedIps, readExpiry } from './key-fields.ts';
import { findLivingKey, type ShownKey, showKey } from './keys.ts';

export interface KeyChangesInput {
  label?: string | null;
  disabled?: boolean;
  expires_at?: string | null;
  allowed_ips?: string[] | null;
}

export async function updateKey(
  desk: Desk,
  actor: string,
  keyId: string,
  input: KeyChangesInput,
): Promise<ShownKey> {
  return desk.store.change(actor, async ({ db, audit, keysChanged }) => {
    const before = await findLivingKey(db, keyId);
    // Only what was said is written, so that two people can change two fields at once.
    const set = {
      ...(input.label !== undefined && { label: input.label }),
      ...(input.disabled !== undefined && { disabled: Number(input.disabled) }),
      ...(input.expires_at !== undefined && { expires_at: readExpiry(input.expires_at) }),
      ...(input.allowed_ips !== undefined && { allowed_ips: readAllowedIps(input.allowed_ips) }),
    };
    await db.updateTable('api_key').set(set).where('key_id', '=', keyId).execute();
    await keysChanged([keyId]);
    const after = { ...before, ...set };
    await audit('key.update', keyId, showKey(before), showKey(after));
    return showKey(after);
  });
}
