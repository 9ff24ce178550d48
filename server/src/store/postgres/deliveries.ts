/**
 * Claiming and settling on PostgreSQL, where nodes share the work. A claim is one round trip (see
 * the function in migrations.ts); a batch of outcomes is one statement, so that the attempt and what
 * it means are one transaction and no connection is held while a receiver is waited for.
 */
import type { Pool } from 'pg';
import type { DeliveryStore, NextWork } from '../../delivery/delivery-store.ts';
import {
  type ClaimedRow,
  LANE_COLUMNS,
  LANE_TABLES,
  type LaneRow,
  toClaimed,
  toLane,
} from '../../delivery/rows.ts';
import type { WorkNotices } from './work-notices.ts';

const LANES = `${LANE_COLUMNS}, next_due(m.id, -1) as next_due_at ${LANE_TABLES}`;

const CLAIM = `select seq, lease, midoffice_id, event_id, type, partner_order_id, agreement_number,
         status, ordered, attempts_made, retries_used, scheduled_at, last_key
    from claim_deliveries($1::text[], $2::int[], $3, $4, $5) order by seq`;

/** Whatever is due already was not claimed because the midoffice's slots are taken. */
const NEXT_DUE = `select id, next_due(id, $2) as due_at, next_due(id, -1) <= $2 as held_back
    from unnest($1::text[]) as asked (id)`;

const SETTLED = `
  with outcome as (
    select * from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::int[],
        $7::int[], $8::bigint[], $9::int[], $10::text[], $11::int[], $12::text[], $13::text[],
        $14::bigint[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[],
        $21::text[])
      as o (seq, lease, state, due_at, settled_at, retries_used, number, started_at, duration_ms,
            outcome, status_code, reply_excerpt, error, signature_timestamp, signature_token,
            failure_code, url, body_form, user_agent, key_id, key_fingerprint)
  ), settled as (
    update delivery d
       -- Asked for by hand meanwhile, the next attempt is due at once, and the schedule's own stays.
       set state = case when d.state <> 'pending' then d.state
                        when d.retry_asked = 1 and o.state = 'exhausted' then 'pending'
                        else o.state end,
           due_at = case when d.state <> 'pending' then null
                         when d.retry_asked = 1 and o.state <> 'delivered' then 0
                         else o.due_at end,
           settled_at = case when d.state <> 'pending' then d.settled_at
                             when d.retry_asked = 1 and o.state = 'exhausted' then null
                             else o.settled_at end,
           retries_used = case when d.retry_asked = 1 and o.state = 'exhausted' then 0
                               else o.retries_used end,
           scheduled_at = case when d.retry_asked = 1 and o.state = 'pending' then o.due_at end,
           attempts_made = o.number, last_key = o.key_fingerprint, retry_asked = 0, lease = null
      from outcome o where d.seq = o.seq and d.lease = o.lease
    returning d.seq, o.lease, d.midoffice_id, d.partner_id, d.partner_order_id, d.due_at
  ), recorded as (
    insert into attempt (delivery_seq, number, started_at, duration_ms, outcome, status_code,
                         reply_excerpt, error, signature_timestamp, signature_token,
                         failure_code, url, body_form, user_agent, key_id, key_fingerprint)
    select o.seq, o.number, o.started_at, o.duration_ms, o.outcome, o.status_code, o.reply_excerpt,
           o.error, o.signature_timestamp, o.signature_token, o.failure_code, o.url, o.body_form,
           o.user_agent, o.key_id, o.key_fingerprint
      -- By the lease too: a node can have two outcomes of one delivery, and one of them is void.
      from outcome o join settled using (seq, lease)
  )`;

const SETTLE = `${SETTLED} select seq, lease from settled`;

/** Those behind in the same order wait as long as the one before them, or may go on at once. */
const SETTLE_IN_ORDER = `${SETTLED}, followers as (
    update delivery d set due_at = coalesce(s.due_at, 0) from settled s
     where d.midoffice_id = s.midoffice_id and d.partner_order_id = s.partner_order_id
       and d.partner_id = s.partner_id and d.state = 'pending' and d.ordered = 1 and d.lease is null and d.seq > s.seq
  )
  select seq, lease from settled`;

interface NextDueRow {
  id: string;
  due_at: number | null;
  held_back: boolean | null;
}

export function postgresDeliveries(pool: Pool, notices: WorkNotices): DeliveryStore {
  return {
    async lanes(midofficeIds) {
      const { rows } = midofficeIds
        ? await pool.query<LaneRow>(`select ${LANES} where m.id = any($1)`, [midofficeIds])
        : await pool.query<LaneRow>({ name: 'lanes', text: `select ${LANES}` });
      return rows.map(toLane);
    },

    async claim({ lanes, nowMs, leaseUntilMs, lease }) {
      const { rows } = await pool.query<ClaimedRow>({
        name: 'claim',
        text: CLAIM,
        values: [
          lanes.map((lane) => lane.midofficeId),
          lanes.map((lane) => lane.free),
          nowMs,
          leaseUntilMs,
          lease,
        ],
      });
      const claimed = rows.map(toClaimed);
      const counts = new Map<string, number>();
      for (const { midofficeId } of claimed) {
        counts.set(midofficeId, (counts.get(midofficeId) ?? 0) + 1);
      }
      const short = lanes.filter(({ midofficeId, free }) => (counts.get(midofficeId) ?? 0) < free);
      const next = nextDue(short, nowMs);
      // Whoever awaits it later hears of a failure; until then it is not an unhandled one.
      next.catch(() => {});
      return { claimed, next };
    },

    async settle(settlements) {
      const of = <T>(field: (one: (typeof settlements)[number]) => T) => settlements.map(field);
      const inOrder = settlements.some((s) => s.claimed.ordered);
      const { rows } = await pool.query<{ seq: number; lease: string }>({
        name: inOrder ? 'settle in order' : 'settle',
        text: inOrder ? SETTLE_IN_ORDER : SETTLE,
        values: [
          of((s) => s.claimed.seq),
          of((s) => s.claimed.lease),
          of((s) => s.state),
          of((s) => s.dueAtMs),
          of((s) => s.settledAtMs),
          of((s) => s.retriesUsed),
          of((s) => s.attempt.number),
          of((s) => s.attempt.startedAtMs),
          of((s) => s.attempt.durationMs),
          of((s) => s.attempt.outcome),
          of((s) => s.attempt.statusCode),
          of((s) => s.attempt.replyExcerpt),
          of((s) => s.attempt.error),
          of((s) => s.attempt.signatureTimestamp),
          of((s) => s.attempt.signatureToken),
          of((s) => s.attempt.failureCode),
          of((s) => s.attempt.url),
          of((s) => s.attempt.bodyForm),
          of((s) => s.attempt.userAgent),
          of((s) => s.attempt.keyId),
          of((s) => s.attempt.keyFingerprint),
        ],
      });
      const done = new Set(rows.map(({ seq, lease }) => `${seq} ${lease}`));
      return settlements
        .filter(({ claimed }) => !done.has(`${claimed.seq} ${claimed.lease}`))
        .map(({ claimed }) => claimed.seq);
    },

    // What is settled here is committed, and on the disk with that.
    synced: () => Promise.resolve(),

    // Another node may hold them; they run out by themselves.
    voidLeases: () => Promise.resolve(),

    async release(claimed) {
      await pool.query(
        `update delivery d set lease = null, retry_asked = 0,
                due_at = case when d.state = 'pending' then 0 end
           from unnest($1::bigint[], $2::text[]) as o (seq, lease)
          where d.seq = o.seq and d.lease = o.lease`,
        [claimed.map((one) => one.seq), claimed.map((one) => one.lease)],
      );
    },

    onWork: notices.subscribe,

    async markWorked(midofficeId, keyFingerprint) {
      const values = [midofficeId, keyFingerprint];
      await pool.query('update midoffice set worked_key = $2 where id = $1', values);
    },

    async markFailing(midofficeId, sinceMs) {
      // Of an incident that is known already, the beginning stays.
      await pool.query(
        `update midoffice set failing_since = $2::bigint, alerted_at = null
          where id = $1 and ($2::bigint is null or failing_since is null)`,
        [midofficeId, sinceMs],
      );
    },
  };

  async function nextDue(
    lanes: readonly { midofficeId: string }[],
    nowMs: number,
  ): Promise<NextWork> {
    if (lanes.length === 0) return { nextDueAtMs: new Map(), heldBack: new Set() };
    const { rows } = await pool.query<NextDueRow>({
      name: 'next due',
      text: NEXT_DUE,
      values: [lanes.map((lane) => lane.midofficeId), nowMs],
    });
    return {
      nextDueAtMs: new Map(rows.map((row) => [row.id, row.due_at])),
      heldBack: new Set(rows.filter((row) => row.held_back).map((row) => row.id)),
    };
  }
}
