/**
 * One box for whatever a partner reads out: an order, a delivery, an event, a key, a name. Ids are
 * found by an index; a name may begin anywhere, so those are looked through, the newest first.
 */
import type { Kysely } from 'kysely';
import { deliveryId, deliverySeq } from '../../orders/order-event.ts';
import { type FoundDelivery, readDeliveries } from '../../store/queue/read-deliveries.ts';
import { nameContains } from '../../store/records/name-contains.ts';
import type { Schema } from '../../store/schema.ts';
import type { Desk } from '../environment.ts';

const MOST_FOUND = 20;
const MOST_OF_A_KIND = 10;
/** Names looked through, newest first: some 50 ms. `GET …/partners?name=` knows no such end. */
const NAMES_LOOKED_THROUGH = 200_000;

export interface Found {
  kind: 'partner' | 'key' | 'midoffice' | 'delivery';
  id: string;
  title: string;
  detail: string;
}

export async function search(desk: Desk, text: string): Promise<{ items: Found[] }> {
  const typed = text.trim();
  if (typed === '') return { items: [] };
  const found = [
    ...(await findDeliveries(desk, typed)),
    ...(await findKeys(desk, typed)),
    ...(await findPartners(desk, typed)),
    ...(await findMidoffices(desk, typed)),
  ];
  const known = new Set<string>();
  const items = found.filter(({ kind, id }) => {
    const isNew = !known.has(`${kind} ${id}`);
    known.add(`${kind} ${id}`);
    return isNew;
  });
  return { items: items.slice(0, MOST_FOUND) };
}

async function findDeliveries({ store: { db } }: Desk, typed: string): Promise<Found[]> {
  const base = db.selectFrom('delivery').select('seq');
  const seq = deliverySeq(typed);
  const rows = [
    ...(seq === undefined ? [] : await readDeliveries(db, base.where('seq', '=', seq))),
    ...(await readDeliveries(db, base.where('event_id', '=', typed))),
    ...(await readDeliveries(
      db,
      base.where('partner_order_id', '=', typed).orderBy('seq', 'desc').limit(MOST_OF_A_KIND),
    )),
  ];
  const names = await namesOf(db, rows);
  return rows.map((row) =>
    row.midoffice_id === null
      ? {
          // The answer to "it never came": nobody was there to send it to.
          kind: 'partner',
          id: row.partner_id,
          title: row.partner_order_id,
          detail: `An event of this order (${row.type}) came in while the partner had no midoffice, so no webhook was sent.`,
        }
      : {
          kind: 'delivery',
          id: deliveryId(row.seq),
          title: row.partner_order_id,
          detail: `${row.type}, ${row.state}, to ${names.get(row.midoffice_id) ?? row.midoffice_id}`,
        },
  );
}

async function namesOf(
  db: Kysely<Schema>,
  rows: readonly FoundDelivery[],
): Promise<Map<string, string>> {
  const ids = new Set(rows.flatMap(({ midoffice_id }) => midoffice_id ?? []));
  if (ids.size === 0) return new Map();
  const midoffices = await db
    .selectFrom('midoffice')
    .select(['id', 'name'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(midoffices.map(({ id, name }) => [id, name]));
}

async function findKeys({ store: { db } }: Desk, typed: string): Promise<Found[]> {
  if (!/^\d{1,20}$/.test(typed)) return [];
  const next = successor(typed);
  let query = db
    .selectFrom('api_key')
    .innerJoin('partner', 'partner.id', 'api_key.partner_id')
    .select(['key_id', 'label', 'disabled', 'revoked_at', 'partner.name'])
    .where('key_id', '>=', typed);
  if (next !== undefined) query = query.where('key_id', '<', next);
  const rows = await query.orderBy('key_id').limit(MOST_OF_A_KIND).execute();
  return rows.map(({ key_id, label, disabled, revoked_at, name }) => {
    const state = revoked_at !== null ? ', revoked' : disabled === 1 ? ', disabled' : '';
    return {
      kind: 'key',
      id: key_id,
      title: label === null ? key_id : `${key_id} ${label}`,
      detail: `Key of ${name}${state}`,
    };
  });
}

/** The first string of digits after all that begin with this one; undefined if there is none. */
function successor(digits: string): string | undefined {
  const stem = digits.replace(/9+$/, '');
  if (stem === '') return undefined;
  return stem.slice(0, -1) + String(Number(stem.at(-1)) + 1);
}

async function findPartners({ store: { db, engine } }: Desk, typed: string): Promise<Found[]> {
  const byId = await db.selectFrom('partner').selectAll().where('id', '=', typed).execute();
  const names = db
    .selectFrom((from) =>
      from
        .selectFrom('partner')
        .select(['id', 'name'])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(NAMES_LOOKED_THROUGH)
        .as('newest'),
    )
    .select('id')
    .where(nameContains(engine, typed))
    .limit(MOST_OF_A_KIND);
  const byName = await db.selectFrom('partner').selectAll().where('id', 'in', names).execute();
  return [...byId, ...beginningFirst(byName, typed)].map((row) => ({
    kind: 'partner',
    id: row.id,
    title: row.name,
    detail: `Partner, ${row.certified_at === null ? 'not certified' : 'certified'}${row.suspended === 1 ? ', suspended' : ''}`,
  }));
}

async function findMidoffices({ store: { db, engine } }: Desk, typed: string): Promise<Found[]> {
  const byId = await db.selectFrom('midoffice').selectAll().where('id', '=', typed).execute();
  const byName = await db
    .selectFrom('midoffice')
    .selectAll()
    .where(nameContains(engine, typed))
    .limit(MOST_OF_A_KIND)
    .execute();
  return [...byId, ...beginningFirst(byName, typed)].map((row) => ({
    kind: 'midoffice',
    id: row.id,
    title: row.name,
    detail: `Midoffice at ${row.url}${row.paused === 1 ? ', paused' : ''}${row.failing_since === null ? '' : ', failing'}`,
  }));
}

function beginningFirst<Row extends { name: string }>(rows: readonly Row[], typed: string): Row[] {
  const begins = ({ name }: Row) => name.toLowerCase().startsWith(typed.toLowerCase());
  return [...rows.filter(begins), ...rows.filter((row) => !begins(row))];
}
