import { patchKey } from '../../store/records/keys.ts';
import type { SupportEnvironment } from '../environment.ts';
import { readTimeOrNull } from '../input.ts';
import { readAllowedIps } from './key-fields.ts';
import { keyToChange, type ShownKey, showKey } from './keys.ts';

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
  return store.change(actor, async ({ db, audit, keysChanged }) => {
    const before = await keyToChange(db, keyId);
    const columns = {
      ...(input.label !== undefined && { label: input.label }),
      ...(input.disabled !== undefined && { disabled: Number(input.disabled) }),
      ...(input.expires_at !== undefined && {
        expires_at: readTimeOrNull(input.expires_at, '/expires_at'),
      }),
      ...(input.allowed_ips !== undefined && { allowed_ips: readAllowedIps(input.allowed_ips) }),
    };
    await patchKey(db, keyId, columns);
    await keysChanged([keyId]);
    const after = { ...before, ...columns };
    await audit('key.update', keyId, showKey(before), showKey(after));
    return showKey(after);
  });
}
