import type { SupportEnvironment } from '../environment.ts';
import { invalidField } from '../input.ts';
import { keyIdsOf } from '../keys/queries.ts';
import { findMidoffice } from '../midoffices/midoffices.ts';
import { partnerToChange, type ShownPartner, showPartner } from './partners.ts';
import { patchPartner } from './queries.ts';

export interface PartnerChanges {
  name?: string;
  suspended?: boolean;
  midoffice_id?: string | null;
  /** Why the partner is suspended or resumed. Kept in the audit. */
  reason?: string;
}

export async function updatePartner(
  { store }: SupportEnvironment,
  actor: string,
  id: string,
  changes: PartnerChanges,
): Promise<ShownPartner> {
  if (changes.reason !== undefined && changes.suspended === undefined) {
    throw invalidField('/reason', 'can be given only together with suspended');
  }
  return store.change(actor, async ({ db, audit, invalidate }) => {
    const before = await partnerToChange(db, id);
    if (changes.midoffice_id) await findMidoffice(db, changes.midoffice_id);
    const columns = {
      ...(changes.name !== undefined && { name: changes.name }),
      ...(changes.suspended !== undefined && { suspended: Number(changes.suspended) }),
      ...(changes.midoffice_id !== undefined && { midoffice_id: changes.midoffice_id }),
    };
    await patchPartner(db, id, columns);
    const after = { ...before, ...columns };
    if (after.suspended !== before.suspended) await invalidate(await keyIdsOf(db, id));
    await audit('partner.update', id, showPartner(before), {
      ...showPartner(after),
      ...(changes.reason !== undefined && { reason: changes.reason }),
    });
    return showPartner(after);
  });
}
