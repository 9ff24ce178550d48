import type { Static } from 'typebox';
import { newId } from '../../base/ids.ts';
import type { PartnerRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { EnvironmentData, SupportEnvironment } from '../environment.ts';
import { keyIdsOf } from '../keys/queries.ts';
import { followMoves } from '../midoffices/follow-new-url.ts';
import { midoffices } from '../midoffices/queries.ts';
import { warningsAbout } from '../midoffices/signing-key.ts';
import { endSessionsOf } from '../portal/sessions.ts';
import { type Changed, columnsOf, newRow } from '../record.ts';
import { checkUnchangedSince, type Undoing, undoneIn } from '../reverting.ts';
import {
  type Certification,
  type NewPartner,
  type Partner,
  type PartnerChanges,
  type PartnerWithWarnings,
  partner,
  showPartner,
} from './partner.ts';
import { partners } from './queries.ts';
import { checkOffer } from './sandbox-offer.ts';

export async function createPartner(
  environment: EnvironmentData,
  actor: string,
  input: NewPartner,
): Promise<Partner> {
  if (environment.name === 'sandbox') checkOffer(environment, input);
  return environment.store.change(actor, async ({ db, now, audit }) => {
    const columns = columnsOf(partner, input);
    const row = newRow(partner, { id: newId('par', now), created_at: now, ...columns });
    await partners.insert(db, row);
    await audit('partner.create', row.id, null, showPartner(row));
    return showPartner(row);
  });
}

/** The reason is why the partner is suspended or resumed. The audit keeps it. */
export async function updatePartner(
  { store }: SupportEnvironment,
  actor: string,
  id: string,
  { reason, ...input }: PartnerChanges,
  undoing?: Undoing,
): Promise<Static<typeof PartnerWithWarnings>> {
  return store.change(actor, async (change) => {
    const before = await partners.findToChange(change.db, id);
    checkUnchangedSince(undoing, showPartner(before));
    // Locked: whoever changes its URL meanwhile waits, and then tells this partner as well.
    if (input.midoffice_id) await midoffices.findToChange(change.db, input.midoffice_id);
    const after = await patch(change, before, columnsOf(partner, input));
    await followPartners(change, actor, [{ before, after }]);
    await change.audit('partner.update', id, showPartner(before), {
      ...showPartner(after),
      ...(reason !== undefined && { reason }),
      ...undoneIn(undoing),
    });
    // The one that it left may now sign with this partner's key for others alone.
    const both = new Set([before.midoffice_id, after.midoffice_id]);
    const concerned = [...both].filter((one) => one !== null);
    const warnings = concerned.flatMap(await warningsAbout(change.db, concerned));
    return { ...showPartner(after), ...(warnings.length > 0 && { warnings }) };
  });
}

/** What a change of partners brings about. Their midoffices have the URLs that they will have; `urlsBefore`: followMoves. */
export async function followPartners(
  change: Change,
  actor: string,
  changed: readonly Changed<PartnerRow>[],
  urlsBefore?: ReadonlyMap<string, string>,
): Promise<void> {
  const { db, now } = change;
  for (const { before, after } of changed) {
    if (after.suspended === before.suspended) continue;
    await change.invalidate(await keyIdsOf(db, after.id));
    if (after.suspended) await endSessionsOf(change, { partnerId: after.id });
  }
  const moved = changed.map(({ before: { id, midoffice_id: from }, after }) => ({
    id,
    from,
    to: after.midoffice_id,
  }));
  await followMoves(db, actor, moved, now, urlsBefore);
}

/** Records that the partner has completed certification. From then on, its limits can be raised. */
export async function certifyPartner(
  { store }: SupportEnvironment,
  actor: string,
  id: string,
  { reference }: Certification,
): Promise<Partner> {
  return store.change(actor, async (change) => {
    const before = await partners.findToChange(change.db, id);
    const certified = { certified_at: change.now, certification_reference: reference };
    const after = await patch(change, before, certified);
    await change.audit('partner.certify', id, showPartner(before), showPartner(after));
    return showPartner(after);
  });
}

async function patch({ db }: Change, before: PartnerRow, columns: Partial<PartnerRow>) {
  await partners.patch(db, before.id, columns);
  return { ...before, ...columns };
}
