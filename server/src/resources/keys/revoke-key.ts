import type { SupportEnvironment } from '../environment.ts';
import { keyToRevoke, showKey } from './key.ts';
import { patchKey } from './queries.ts';

/** A revoked key never works again. Revoking it twice changes nothing. The audit keeps the reason. */
export async function revokeKey(
  { store }: SupportEnvironment,
  actor: string,
  keyId: string,
  { reason }: { reason?: string | undefined } = {},
): Promise<void> {
  await store.change(actor, async ({ db, now, audit, invalidate, unchanged }) => {
    const before = await keyToRevoke(db, keyId);
    if (before.revoked_at !== null) return unchanged(undefined);
    const revoked = { revoked_at: now };
    await patchKey(db, keyId, revoked);
    await invalidate([keyId]);
    await audit('key.revoke', keyId, showKey(before), {
      ...showKey({ ...before, ...revoked }),
      ...(reason !== undefined && { reason }),
    });
  });
}
