import type { SupportEnvironment } from '../environment.ts';
import { partnerToChange, type ShownPartner, showPartner } from './partners.ts';
import { patchPartner } from './queries.ts';

/** Records that the partner has completed certification. From then on, its limits can be raised. */
export async function certifyPartner(
  { store }: SupportEnvironment,
  actor: string,
  id: string,
  input: { reference: string },
): Promise<ShownPartner> {
  return store.change(actor, async ({ db, now, audit }) => {
    const before = await partnerToChange(db, id);
    const columns = { certified_at: now, certification_reference: input.reference };
    await patchPartner(db, id, columns);
    const after = { ...before, ...columns };
    await audit('partner.certify', id, showPartner(before), showPartner(after));
    return showPartner(after);
  });
}
