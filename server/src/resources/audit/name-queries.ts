/** What entries of the audit are about, by name. A few look-ups for a whole page of entries. */
import type { Names } from '@bellhop/rules/describe-change';
import { deliverySeq } from '../../delivery/orders/order-event.ts';
import type { AuditRow, Database } from '../../store/schema.ts';
import { midoffices } from '../midoffices/queries.ts';
import { partners } from '../partners/queries.ts';

export async function namesIn(db: Database, rows: readonly AuditRow[]): Promise<Names> {
  const ids = new Set(rows.flatMap(idsIn));
  const of = (prefix: string) => [...ids].filter((id) => id.startsWith(prefix));
  const [ofPartners, ofMidoffices, keys, orders] = await Promise.all([
    partners.readAll(db, of('par_')),
    midoffices.readAll(db, of('mid_')),
    keyNames(
      db,
      [...ids].filter((id) => /^\d+$/.test(id)),
    ),
    orderNames(db, of('del_')),
  ]);
  const named = [...ofPartners.values(), ...ofMidoffices.values()];
  return new Map([...named.map(({ id, name }) => [id, name] as const), ...keys, ...orders]);
}

/** The subject, and midoffices and partners that a change names. */
function idsIn({ subject, before, after }: AuditRow): string[] {
  const named = `${before ?? ''}${after ?? ''}`.match(/"(?:par|mid)_\w{1,64}"/g) ?? [];
  return [subject, ...named.map((one) => one.slice(1, -1))];
}

/** A key is its partner's, so the partner's name comes first. */
async function keyNames(db: Database, keyIds: readonly string[]): Promise<[string, string][]> {
  if (keyIds.length === 0) return [];
  const rows = await db
    .selectFrom('api_key')
    .innerJoin('partner', 'partner.id', 'api_key.partner_id')
    .select(['key_id', 'label', 'partner.name'])
    .where('key_id', 'in', keyIds)
    .execute();
  return rows.map(({ key_id, label, name }) => [key_id, `${name} (${label ?? key_id})`]);
}

async function orderNames(db: Database, ids: readonly string[]): Promise<[string, string][]> {
  const seqs = ids.flatMap((id) => deliverySeq(id) ?? []);
  if (seqs.length === 0) return [];
  const rows = await db
    .selectFrom('delivery')
    .select(['seq', 'partner_order_id'])
    .where('seq', 'in', seqs)
    .execute();
  const orders = new Map(rows.map(({ seq, partner_order_id }) => [seq, partner_order_id]));
  return ids.flatMap((id) => {
    const order = orders.get(deliverySeq(id) ?? 0);
    return order === undefined ? [] : [[id, `order ${order}`] as [string, string]];
  });
}
