/**
 * One search box for anything that a partner reads out: an order, a delivery, an event, a key, a request id, a name.
 * Ids are found by an index. Names match anywhere in them, so a search by name reads through the names.
 */

import type { Static } from 'typebox';
import type { Vault } from '../../base/sealing/vault.ts';
import { deliveryId, deliverySeq } from '../../delivery/orders/order-event.ts';
import { findDeliveries } from '../../store/queue/list.ts';
import {
  type FoundDelivery,
  readDelivery,
  readDeliveryOfEvent,
} from '../../store/queue/read-deliveries.ts';
import { readCalls } from '../../store/recorded-calls.ts';
import type { Database, MidofficeRow, PartnerRow } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { reply, words } from '../forms.ts';
import { type NamedKey, searchKeys } from '../keys/queries.ts';
import { midoffices, searchMidoffices } from '../midoffices/queries.ts';
import { partners, searchPartners } from '../partners/queries.ts';
import { fromOwnId } from '../portal/delivery-ids.ts';
import { Type } from '../type.ts';

export const SearchResult = reply('SearchResult', {
  items: Type.Array(
    reply('SearchHit', {
      kind: words(['partner', 'key', 'midoffice', 'delivery', 'call']),
      id: like(story.partnerId),
      title: like(story.partner),
      detail: like(story.partnerId),
    }),
  ),
});

const MOST_FOUND = 20;
const MOST_OF_A_KIND = 10;

type Found = Static<typeof SearchResult>['items'][number];

export async function search(
  { store: { db }, vault }: SupportEnvironment,
  text: string,
): Promise<Static<typeof SearchResult>> {
  const typed = text.trim();
  if (typed === '') return { items: [] };
  const found = [
    ...(await findCalls(db, typed)),
    ...(await findOrders(db, vault, typed)),
    ...(await findKeys(db, typed)),
    ...(await findPartners(db, typed)),
    ...(await findMidoffices(db, typed)),
  ];
  return { items: withoutRepeats(found).slice(0, MOST_FOUND) };
}

function withoutRepeats(found: readonly Found[]): Found[] {
  const known = new Set<string>();
  return found.filter(({ kind, id }) => {
    const isNew = !known.has(`${kind} ${id}`);
    known.add(`${kind} ${id}`);
    return isNew;
  });
}

/** A partner quotes the id of a webhook as the portal shows it. */
async function findOrders(db: Database, vault: Vault, typed: string): Promise<Found[]> {
  const seq = deliverySeq(fromOwnId(vault, typed) ?? typed);
  const rows = [
    seq === undefined ? undefined : await readDelivery(db, seq),
    await readDeliveryOfEvent(db, typed),
    ...(await findDeliveries(db, { partner_order_id: typed }, MOST_OF_A_KIND)),
  ].filter((row) => row !== undefined);
  const ids = new Set(rows.flatMap(({ midoffice_id }) => midoffice_id ?? []));
  const their = await midoffices.readAll(db, [...ids]);
  return rows.map((row) => showOrder(row, their));
}

function showOrder(row: FoundDelivery, their: ReadonlyMap<string, MidofficeRow>): Found {
  const title = row.partner_order_id;
  if (row.midoffice_id === null) {
    // The partner asks why the webhook never came: this is the answer.
    return {
      kind: 'partner',
      id: row.partner_id,
      title,
      detail: `An event of this order (${row.type}) came in while the partner had no midoffice, so no webhook was sent.`,
    };
  }
  const midoffice = their.get(row.midoffice_id)?.name ?? row.midoffice_id;
  const detail = `${row.type}, ${row.state}, to ${midoffice}`;
  return { kind: 'delivery', id: deliveryId(row.seq), title, detail };
}

/** A partner quotes the `X-Request-Id` of a call that was refused or failed. */
async function findCalls(db: Database, typed: string): Promise<Found[]> {
  if (!/^[0-9a-f]{32}$/i.test(typed)) return [];
  const calls = await readCalls(db, { requestId: typed.toLowerCase() }, { limit: 1 });
  return Promise.all(
    calls.map(async ({ request_id, status, code, endpoint, path, key_id, partner_id }) => {
      const what = `Call, ${status} ${code}, ${endpoint ?? path ?? 'not a valid request'}`;
      const partner = partner_id === '' ? undefined : await partners.read(db, partner_id);
      const by = partner ? `, key ${key_id} of ${partner.name}` : '';
      return { kind: 'call' as const, id: request_id, title: request_id, detail: what + by };
    }),
  );
}

async function findKeys(db: Database, typed: string): Promise<Found[]> {
  if (!/^\d{1,20}$/.test(typed)) return [];
  return (await searchKeys(db, typed, MOST_OF_A_KIND)).map(showKey);
}

function showKey({ key_id, label, disabled, revoked_at, partner_name }: NamedKey): Found {
  const state = revoked_at !== null ? ', revoked' : disabled === 1 ? ', disabled' : '';
  return {
    kind: 'key',
    id: key_id,
    title: label === null ? key_id : `${key_id} ${label}`,
    detail: `Key of ${partner_name}${state}`,
  };
}

async function findPartners(db: Database, typed: string): Promise<Found[]> {
  const byId = await partners.read(db, typed);
  const byName = await searchPartners(db, typed, MOST_OF_A_KIND);
  return [...(byId ? [byId] : []), ...startingFirst(byName, typed)].map(showPartner);
}

function showPartner({ id, name, certified_at, suspended }: PartnerRow): Found {
  const certified = certified_at === null ? 'not certified' : 'certified';
  const detail = `Partner, ${certified}${suspended === 1 ? ', suspended' : ''}`;
  return { kind: 'partner', id, title: name, detail };
}

async function findMidoffices(db: Database, typed: string): Promise<Found[]> {
  const byId = await midoffices.read(db, typed);
  const byName = await searchMidoffices(db, typed, MOST_OF_A_KIND);
  return [...(byId ? [byId] : []), ...startingFirst(byName, typed)].map(showMidoffice);
}

function showMidoffice({ id, name, url, paused, failing_since }: MidofficeRow): Found {
  const state = `${paused === 1 ? ', paused' : ''}${failing_since === null ? '' : ', failing'}`;
  return { kind: 'midoffice', id, title: name, detail: `Midoffice at ${url}${state}` };
}

/** Names that start with the typed text come first. */
function startingFirst<Row extends { name: string }>(rows: readonly Row[], typed: string): Row[] {
  const starts = ({ name }: Row) => name.toLowerCase().startsWith(typed.toLowerCase());
  return [...rows.filter(starts), ...rows.filter((row) => !starts(row))];
}
