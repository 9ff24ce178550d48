import type { SupportEnvironment } from '../environment.ts';
import { endSessionsOf } from '../portal/sessions.ts';
import { checkExpiry } from '../problem.ts';
import { columnsOf } from '../record.ts';
import { checkUnchangedSince, type Undoing, undoneIn } from '../reverting.ts';
import { type Key, type KeyChanges, key, keyToChange, showKey } from './key.ts';
import { keys } from './queries.ts';

export async function updateKey(
  { store }: SupportEnvironment,
  actor: string,
  keyId: string,
  input: KeyChanges,
  undoing?: Undoing,
): Promise<Key> {
  return store.change(actor, async ({ db, now, audit, invalidate }) => {
    const before = await keyToChange(db, keyId);
    checkUnchangedSince(undoing, showKey(before));
    const columns = columnsOf(key, input);
    // A key that has expired can be sent back as it was shown.
    if (columns.expires_at !== before.expires_at) checkExpiry(columns.expires_at, now, 'key');
    await keys.patch(db, keyId, columns);
    await invalidate([keyId]);
    const after = { ...before, ...columns };
    await audit('key.update', keyId, showKey(before), { ...showKey(after), ...undoneIn(undoing) });
    return showKey(after);
  });
}

/** A revoked key never works again. Revoking it twice changes nothing. The audit keeps the reason. */
export async function revokeKey(
  { store }: SupportEnvironment,
  actor: string,
  keyId: string,
  { reason }: { reason?: string | undefined } = {},
): Promise<void> {
  await store.change(actor, async (change) => {
    const { db, now, audit, invalidate, unchanged } = change;
    const before = await keys.findToChange(db, keyId);
    if (before.revoked_at !== null) return unchanged(undefined);
    const revoked = { revoked_at: now };
    await keys.patch(db, keyId, revoked);
    await invalidate([keyId]);
    await endSessionsOf(change, { keyId });
    await audit('key.revoke', keyId, showKey(before), {
      ...showKey({ ...before, ...revoked }),
      ...(reason !== undefined && { reason }),
    });
  });
}
