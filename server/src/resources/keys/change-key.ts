import type { ApiKeyRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { endSessionsOf } from '../portal/sessions.ts';
import { checkExpiry } from '../problem.ts';
import { type Changed, columnsOf } from '../record.ts';
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
  return store.change(actor, async (change) => {
    const { db, now, audit } = change;
    const before = await keyToChange(db, keyId);
    checkUnchangedSince(undoing, showKey(before));
    const columns = columnsOf(key, input);
    // A key that has expired can be sent back as it was shown.
    if (columns.expires_at !== before.expires_at) checkExpiry(columns.expires_at, now, 'key');
    await keys.patch(db, keyId, columns);
    const after = { ...before, ...columns };
    await followKeys(change, [{ before, after }]);
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
    const { db, now, audit, unchanged } = change;
    const before = await keys.findToChange(db, keyId);
    if (before.revoked_at !== null) return unchanged(undefined);
    const after = { ...before, revoked_at: now };
    await keys.patch(db, keyId, { revoked_at: now });
    await followKeys(change, [{ before, after }]);
    await audit('key.revoke', keyId, showKey(before), {
      ...showKey(after),
      ...(reason !== undefined && { reason }),
    });
  });
}

/** What a change of keys brings about. */
export async function followKeys(
  change: Change,
  changed: readonly Changed<ApiKeyRow>[],
): Promise<void> {
  await change.invalidate(changed.map(({ after }) => after.key_id));
  for (const { before, after } of changed) {
    const isRevoked = after.revoked_at !== null && before.revoked_at === null;
    if (isRevoked) await endSessionsOf(change, { keyId: after.key_id });
  }
}
