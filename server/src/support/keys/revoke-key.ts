import { patchKey } from '../../store/records/keys.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findKey, showKey } from './keys.ts';

/** A revoked key never works again. Revoking it twice changes nothing. The audit keeps the reason. */
export async function revokeKey(
  { store }: SupportEnvironment,
  actor: string,
  keyId: string,
  { reason }: { reason?: string | undefined } = {},
): Promise<void> {
  const found = await findKey(store.db, keyId);
  if (found.revoked_at !== null) return;
  await store.change(actor, async ({ db, now, audit, keysChanged }) => {
    const before = await findKey(db, keyId);
    const revoked = { revoked_at: before.revoked_at ?? now };
    await patchKey(db, keyId, revoked);
    await keysChanged([keyId]);
    await audit('key.revoke', keyId, showKey(before), {
      ...showKey({ ...before, ...revoked }),
      ...(reason !== undefined && { reason }),
    });
  });
}
