/** Notices that are stored together with an exhausted delivery or with usage, in the transaction of either. */
import type { PoolClient } from 'pg';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import type { Settlement } from '../../delivery/stages.ts';
import type { UsageRecord } from '../../gateway/usage-history/counts.ts';
import {
  EXHAUSTED_EVERY_MS,
  newNotice,
  percentsReached,
  type StoredNotice,
} from '../../notices/kinds.ts';
import { insertNotices } from '../notices.ts';
import type { Database } from '../schema.ts';

/** Partners that were not told within the time. */
const UNTOLD = `
  select distinct on (d.partner_id) d.partner_id, d.seq, d.partner_order_id from delivery d
   where d.seq = any($1::bigint[]) and not exists (
     select 1 from notice n
      where n.partner_id = d.partner_id and n.kind = 'deliveries_exhausted' and n.at > $2)
   order by d.partner_id, d.seq`;

const INSERT = `
  insert into notice (id, partner_id, kind, cause, at, facts)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])
  on conflict (partner_id, kind, cause) do nothing`;

export async function noticeExhausted(
  client: Pick<PoolClient, 'query'>,
  exhausted: readonly Settlement[],
  nowMs: number,
): Promise<void> {
  const { rows } = await client.query<{
    partner_id: string;
    seq: number;
    partner_order_id: string;
  }>({
    name: 'untold of exhausted',
    text: UNTOLD,
    values: [exhausted.map(({ due }) => due.seq), nowMs - EXHAUSTED_EVERY_MS],
  });
  if (rows.length === 0) return;
  const notices = rows.map(({ partner_id, seq, partner_order_id }) => {
    const facts = { delivery_id: deliveryId(seq), partner_order_id };
    return newNotice(partner_id, 'deliveries_exhausted', facts, nowMs);
  });
  const all = (column: keyof StoredNotice) => notices.map((notice) => notice[column]);
  await client.query({
    name: 'notice exhausted',
    text: INSERT,
    values: [all('id'), all('partner_id'), all('kind'), all('cause'), all('at'), all('facts')],
  });
}

export async function noticeUsed(
  db: Database,
  records: readonly UsageRecord[],
  nowMs: number,
): Promise<void> {
  const reached = records.flatMap(({ keyId: key_id, endpoint, peakShare, refused }) =>
    percentsReached(peakShare, refused).map((percent) => ({ key_id, endpoint, percent })),
  );
  if (reached.length === 0) return;
  const keys = await db
    .selectFrom('api_key')
    .select(['key_id', 'partner_id'])
    .where('key_id', 'in', [...new Set(reached.map(({ key_id }) => key_id))])
    .execute();
  const partnerOf = new Map(keys.map(({ key_id, partner_id }) => [key_id, partner_id]));
  const notices = reached.flatMap((facts) => {
    const partnerId = partnerOf.get(facts.key_id);
    return partnerId === undefined ? [] : newNotice(partnerId, 'limit_reached', facts, nowMs);
  });
  // Sorted, so that two nodes that write the same ones cannot deadlock.
  await insertNotices(
    db,
    notices.sort((a, b) => (a.cause < b.cause ? -1 : 1)),
  );
}
