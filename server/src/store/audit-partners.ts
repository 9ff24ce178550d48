/**
 * Whose deliveries an entry of the audit has changed. Its subject is a delivery, a midoffice or many deliveries, so the
 * entry itself leads to no partner, and a change of many may be one of several partners.
 */
import { sql } from 'kysely';
import type { AuditRow, Database } from './schema.ts';
import { readNewest, type Slice } from './slice.ts';

/** Adds to what was noted for the entry before. */
export async function noteChangedDeliveries(
  db: Database,
  auditId: string,
  seqs: readonly number[],
): Promise<void> {
  if (seqs.length === 0) return;
  await sql`
    insert into audit_partner (partner_id, at, audit_id, deliveries)
    select delivery.partner_id, audit.at, audit.id, count(*)
      from audit cross join delivery
     where audit.id = ${auditId} and delivery.seq in (${sql.join(seqs)})
     group by delivery.partner_id, audit.at, audit.id
        on conflict (partner_id, at, audit_id)
        do update set deliveries = audit_partner.deliveries + excluded.deliveries`.execute(db);
}

export interface ConcerningEntry extends AuditRow {
  /** How many deliveries of the partner. */
  deliveries: number;
}

/** The newest entries that changed deliveries of a partner. */
export async function entriesConcerning(
  db: Database,
  slice: Slice,
  partnerId: string,
): Promise<ConcerningEntry[]> {
  const query = db
    .selectFrom('audit_partner')
    .select(['audit_id', 'deliveries'])
    .where('partner_id', '=', partnerId);
  const found = await readNewest(query, slice, { time: 'at', id: 'audit_id' });
  if (found.length === 0) return [];
  const counts = new Map(found.map(({ audit_id, deliveries }) => [audit_id, deliveries]));
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .where('id', 'in', [...counts.keys()])
    .execute();
  return rows.map((row) => ({ ...row, deliveries: counts.get(row.id) ?? 0 }));
}
