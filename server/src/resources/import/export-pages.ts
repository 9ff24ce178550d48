/** Everything that an export contains, a page at a time in the order of the ids, so that any size takes no memory. */
import type { ApiKeyRow, Database, MidofficeRow, PartnerRow } from '../../store/schema.ts';

interface Page {
  /** The last id of the page before. */
  after: string | undefined;
  limit: number;
  /** Leaves out what was created later, so that the pages fit together. */
  createdUntilMs: number;
}

export type ExportedPartner = PartnerRow & { ref: string | null; midoffice_ref: string | null };

export async function exportPartners(db: Database, page: Page): Promise<ExportedPartner[]> {
  return db
    .selectFrom('partner')
    .leftJoin('imported_ref as own', (join) =>
      join.onRef('own.id', '=', 'partner.id').on('own.kind', '=', 'partner'),
    )
    .leftJoin('imported_ref as its', (join) =>
      join.onRef('its.id', '=', 'partner.midoffice_id').on('its.kind', '=', 'midoffice'),
    )
    .selectAll('partner')
    .select(['own.ref as ref', 'its.ref as midoffice_ref'])
    .where('partner.id', '>', page.after ?? '')
    .where('partner.created_at', '<=', page.createdUntilMs)
    .orderBy('partner.id')
    .limit(page.limit)
    .execute();
}

export type ExportedKey = ApiKeyRow & { partner_ref: string | null };

export async function exportKeys(db: Database, page: Page): Promise<ExportedKey[]> {
  return db
    .selectFrom('api_key')
    .leftJoin('imported_ref as its', (join) =>
      join.onRef('its.id', '=', 'api_key.partner_id').on('its.kind', '=', 'partner'),
    )
    .selectAll('api_key')
    .select('its.ref as partner_ref')
    .where('api_key.key_id', '>', page.after ?? '')
    .where('api_key.created_at', '<=', page.createdUntilMs)
    .orderBy('api_key.key_id')
    .limit(page.limit)
    .execute();
}

export type ExportedMidoffice = MidofficeRow & { ref: string | null };

export async function exportMidoffices(db: Database, page: Page): Promise<ExportedMidoffice[]> {
  return db
    .selectFrom('midoffice')
    .leftJoin('imported_ref as own', (join) =>
      join.onRef('own.id', '=', 'midoffice.id').on('own.kind', '=', 'midoffice'),
    )
    .selectAll('midoffice')
    .select('own.ref as ref')
    .where('midoffice.id', '>', page.after ?? '')
    .where('midoffice.created_at', '<=', page.createdUntilMs)
    .orderBy('midoffice.id')
    .limit(page.limit)
    .execute();
}
