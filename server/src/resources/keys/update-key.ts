import type { ApiKeyRow } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { readExpiry, readTimeOrNull } from '../input.ts';
import { readAllowedIps } from './key-fields.ts';
import { keyToChange, type ShownKey, showKey } from './keys.ts';
import { patchKey } from './queries.ts';

export interface KeyChangesInput {
  label?: string | null;
  disabled?: boolean;
  expires_at?: string | null;
  allowed_ips?: string[] | null;
}

export async function updateKey(
  { store }: SupportEnvironment,
  actor: string,
  keyId: string,
  input: KeyChangesInput,
): Promise<ShownKey> {
  return store.change(actor, async ({ db, now, audit, invalidate }) => {
    const before = await keyToChange(db, keyId);
    const columns = {
      ...(input.label !== undefined && { label: input.label }),
      ...(input.disabled !== undefined && { disabled: Number(input.disabled) }),
      ...(input.expires_at !== undefined && { expires_at: expiryOf(input, before, now) }),
      ...(input.allowed_ips !== undefined && { allowed_ips: readAllowedIps(input.allowed_ips) }),
    };
    await patchKey(db, keyId, columns);
    await invalidate([keyId]);
    const after = { ...before, ...columns };
    await audit('key.update', keyId, showKey(before), showKey(after));
    return showKey(after);
  });
}

/** A key that has expired can be sent back as it was shown. */
function expiryOf({ expires_at }: KeyChangesInput, before: ApiKeyRow, nowMs: number) {
  const isUnchanged = readTimeOrNull(expires_at, '/expires_at') === before.expires_at;
  return isUnchanged ? before.expires_at : readExpiry(expires_at, nowMs, 'key');
}
