import type { Desk } from '../environment.ts';
import { findLivingKey } from '../keys/keys.ts';
import type { NewMidoffice } from './create-midoffice.ts';
import {
  checkedUrl,
  findMidoffice,
  queuedFor,
  type ShownMidoffice,
  showMidoffice,
} from './midoffices.ts';

export type MidofficeChanges = Partial<NewMidoffice> & { paused?: boolean };

export async function updateMidoffice(
  desk: Desk,
  actor: string,
  id: string,
  { paused, ...changes }: MidofficeChanges,
): Promise<ShownMidoffice> {
  await findMidoffice(desk.store.db, id);
  if (changes.url !== undefined) changes.url = await checkedUrl(desk, changes.url);
  return desk.store.change(actor, async ({ db, audit, keysChanged, lanesChanged, queue }) => {
    const before = await findMidoffice(db, id);
    if (changes.signing_key_id !== undefined) await findLivingKey(db, changes.signing_key_id);
    const set = { ...changes, ...(paused !== undefined && { paused: Number(paused) }) };
    await db.updateTable('midoffice').set(set).where('id', '=', id).execute();
    if (changes.delivery_order !== undefined && changes.delivery_order !== before.delivery_order) {
      // What already waits keeps to the new order as well.
      await queue.restateOrder(queuedFor({ id, delivery_order: changes.delivery_order }));
    }
    await keysChanged([id]);
    await lanesChanged([id]);
    const after = { ...before, ...set };
    await audit('midoffice.update', id, showMidoffice(before), showMidoffice(after));
    return showMidoffice(after);
  });
}
