import type { Desk } from '../environment.ts';
import { findPartner, type ShownPartner, showPartner } from './partners.ts';

/** Records that certification is completed; from then on the partner's limits can be raised. */
export async function certifyPartner(
  desk: Desk,
  actor: string,
  id: string,
  input: { reference: string },
): Promise<ShownPartner> {
  return desk.store.change(actor, async ({ db, now, audit }) => {
    const before = await findPartner(db, id);
    const after = { ...before, certified_at: now, certification_reference: input.reference };
    await db
      .updateTable('partner')
      .set({ certified_at: now, certification_reference: input.reference })
      .where('id', '=', id)
      .execute();
    await audit('partner.certify', id, showPartner(before), showPartner(after));
    return showPartner(after);
  });
}
