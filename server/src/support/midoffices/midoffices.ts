/** A midoffice as support sees it, and what its verbs have in common. */
import type { Kysely } from 'kysely';
import type { Midoffice } from '../../store/queue/verbs.ts';
import type { MidofficeRow, Schema } from '../../store/schema.ts';
import { type Desk, isoOrNull } from '../environment.ts';
import { Problem } from '../problem.ts';

export const bodyForms = ['data', 'flat', 'both'] as const;
export const deliveryOrders = ['any', 'per_order'] as const;
export const DEFAULT_IN_FLIGHT = 16;
export const MOST_IN_FLIGHT = 256;

export function showMidoffice(row: MidofficeRow) {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    signing_key_id: row.signing_key_id,
    body_form: row.body_form,
    delivery_order: row.delivery_order,
    max_in_flight: row.max_in_flight,
    paused: row.paused === 1,
    failing_since: isoOrNull(row.failing_since),
    created_at: new Date(row.created_at).toISOString(),
  };
}

export type ShownMidoffice = ReturnType<typeof showMidoffice>;

export async function findMidoffice(db: Kysely<Schema>, id: string): Promise<MidofficeRow> {
  const row = await db.selectFrom('midoffice').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new Problem('midoffice_not_found');
  return row;
}

/** As the queue needs it. */
export function queuedFor(row: Pick<MidofficeRow, 'id' | 'delivery_order'>): Midoffice {
  return { id: row.id, ordered: row.delivery_order === 'per_order' };
}

/** The receiver guard's word on an address, as the field error that it is. */
export async function checkedUrl(desk: Desk, url: string): Promise<string> {
  const checked = await desk.webhooks.checkUrl(url);
  if (checked.ok) return checked.url;
  throw new Problem('receiver_refused', checked.detail, [
    { field: '/url', detail: checked.detail },
  ]);
}
