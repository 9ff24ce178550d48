/** A midoffice as support sees it, and what the verbs for midoffices share. */
import type { Midoffice } from '../../store/queue/verbs.ts';
import type { Database, MidofficeRow } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';
import { lockMidoffice, readMidoffice } from './queries.ts';

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

export async function findMidoffice(db: Database, id: string): Promise<MidofficeRow> {
  return orNotFound(await readMidoffice(db, id));
}

/** Other changes of the midoffice wait until the end of the transaction. */
export async function midofficeToChange(db: Database, id: string): Promise<MidofficeRow> {
  return orNotFound(await lockMidoffice(db, id));
}

function orNotFound(row: MidofficeRow | undefined): MidofficeRow {
  if (!row) throw new Problem('midoffice_not_found');
  return row;
}

/** The midoffice as the queue sees it. */
export function queuedFor(row: Pick<MidofficeRow, 'id' | 'delivery_order'>): Midoffice {
  return { id: row.id, ordered: row.delivery_order === 'per_order' };
}

/** Throws a field error if the receiver guard refuses the URL. */
export async function checkedUrl({ webhooks }: SupportEnvironment, url: string): Promise<string> {
  const checked = await webhooks.checkUrl(url);
  if (checked.ok) return checked.url;
  throw new Problem('receiver_refused', checked.detail, [
    { field: '/url', detail: checked.detail },
  ]);
}
