import type { Desk } from '../environment.ts';
import { findKey, showKey } from './keys.ts';

/** For good: a revoked key never works again. Revoking it twice changes nothing. */
export async function revokeKey(desk: Desk, actor: string, keyId: string): Promise<void> {
  const found = await findKey(desk.store.db, keyId);
  if (found.revoked_at !== null) return;
  await desk.store.change(actor, async ({ db, now, audit, keysChanged }) => {
    const before = await findKey(db, keyId);
    const revoked = { revoked_at: before.revoked_at ?? now };
    await db.updateTable('api_key').set(revoked).where('key_id', '=', keyId).execute();
    await keysChanged([keyId]);
    await audit('key.revoke', keyId, showKey(before), showKey({ ...before, ...revoked }));
  });
}
