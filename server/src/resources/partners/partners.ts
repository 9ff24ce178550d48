/** A partner as support sees it, and how to find one. */

import type { Database, PartnerRow } from '../../store/schema.ts';
import { isoOrNull } from '../environment.ts';
import { Problem } from '../problem.ts';
import { lockPartner, readPartner } from './queries.ts';

export function showPartner(row: PartnerRow) {
  return {
    id: row.id,
    name: row.name,
    integration_started_on: row.integration_started_on,
    is_new: row.is_new === 1,
    suspended: row.suspended === 1,
    certified_at: isoOrNull(row.certified_at),
    certification_reference: row.certification_reference,
    midoffice_id: row.midoffice_id,
    created_at: new Date(row.created_at).toISOString(),
  };
}

export type ShownPartner = ReturnType<typeof showPartner>;

export async function findPartner(db: Database, id: string): Promise<PartnerRow> {
  return orNotFound(await readPartner(db, id));
}

/** Other changes of the partner wait until the end of the transaction. */
export async function partnerToChange(db: Database, id: string): Promise<PartnerRow> {
  return orNotFound(await lockPartner(db, id));
}

function orNotFound(row: PartnerRow | undefined): PartnerRow {
  if (!row) throw new Problem('partner_not_found');
  return row;
}
