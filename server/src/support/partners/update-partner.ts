import type { Desk } from '../environment.ts';
import { findMidoffice } from '../midoffices/midoffices.ts';
import { findPartner, type ShownPartner, showPartner } from './partners.ts';

export interface PartnerChanges {
  name?: string;
  suspended?: boolean;
  midoffice_id?: string | null;
}

export async function updatePartner(
  desk: Desk,
  actor: string,
  id: string,
  changes: PartnerChanges,
): Promise<ShownPartner> {
  return desk.store.change(actor, async ({ db, audit, keysChanged }) => {
    const before = await findPartner(db, id);
    if (changes.midoffice_id) await findMidoffice(db, changes.midoffice_id);
    // Only what was said is written, so that two people can change two fields at once.
    const set = {
      ...(changes.name !== undefined && { name: changes.name }),
      ...(changes.suspended !== undefined && { suspended: Number(changes.suspended) }),
      ...(changes.midoffice_id !== undefined && { midoffice_id: changes.midoffice_id }),
    };
    await db.updateTable('partner').set(set).where('id', '=', id).execute();
    const after = { ...before, ...set };
    if (after.suspended !== before.suspended) {
      const keys = await db
        .selectFrom('api_key')
        .select('key_id')
        .where('partner_id', '=', id)
        .execute();
      await keysChanged(keys.map((key) => key.key_id));
    }
    await audit('partner.update', id, showPartner(before), showPartner(after));
    return showPartner(after);
  });
}
