import type { SupportEnvironment } from '../environment.ts';
import { checkExpiry } from '../input.ts';
import { columnsOf } from '../record.ts';
import { type Key, type KeyChanges, key, keyToChange, showKey } from './key.ts';
import { patchKey } from './queries.ts';

export async function updateKey(
  { store }: SupportEnvironment,
  actor: string,
  keyId: string,
  input: KeyChanges,
): Promise<Key> {
  return store.change(actor, async ({ db, now, audit, invalidate }) => {
    const before = await keyToChange(db, keyId);
    const columns = columnsOf(key, input);
    // A key that has expired can be sent back as it was shown.
    if (columns.expires_at !== before.expires_at) checkExpiry(columns.expires_at, now, 'key');
    await patchKey(db, keyId, columns);
    await invalidate([keyId]);
    const after = { ...before, ...columns };
    await audit('key.update', keyId, showKey(before), showKey(after));
    return showKey(after);
  });
}
