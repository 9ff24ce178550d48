/**
 * Claiming and settling on SQLite. One process has the database, so the worker's own count of what
 * is in flight is the whole count, and leases left by a crash are void at the next start. The lease's
 * end goes into `due_at`, so what is in flight is not due and a claim never steps over it.
 */
import type { SQLInputValue } from 'node:sqlite';
import type { DeliveryStore, NextWork } from '../../delivery/delivery-store.ts';
import {
  type ClaimedRow,
  LANE_COLUMNS,
  LANE_TABLES,
  type LaneRow,
  toClaimed,
  toLane,
} from '../../delivery/rows.ts';
import type { Claimed, Settlement } from '../../delivery/stages.ts';
import type { Writer } from './writing.ts';

/** The earliest pending work of each is found by one step into the index of what is due. */
const LANES = `${LANE_COLUMNS},
  (select d.due_at from delivery d where d.midoffice_id = m.id and d.state = 'pending'
    order by d.due_at limit 1) as next_due_at ${LANE_TABLES}`;

/** One process has all slots. */
const NONE: ReadonlySet<string> = new Set();

export interface SqliteDeliveries extends DeliveryStore {
  announceWork(midofficeIds: readonly string[]): void;
}

export function sqliteDeliveries(writer: Writer): SqliteDeliveries {
  const { connection } = writer;
  const due = connection.prepare(`
    select d.seq, d.midoffice_id, d.event_id, d.type, d.partner_order_id, d.agreement_number,
           d.status, d.ordered, d.attempts_made, d.retries_used, d.scheduled_at,
           d.last_key
      from delivery d
     where d.midoffice_id = ?1 and d.state = 'pending' and d.due_at <= ?2
       and (d.ordered = 0 or not exists (
         select 1 from delivery e
          where e.midoffice_id = d.midoffice_id and e.partner_order_id = d.partner_order_id
            and e.partner_id = d.partner_id and e.state = 'pending' and e.ordered = 1 and e.seq < d.seq)
         -- Nor while one is under way that was accepted later or cancelled meanwhile.
         and not exists (
         select 1 from delivery f
          -- By the order, not by all that the midoffice ever got: hence the plus.
          where f.partner_order_id = d.partner_order_id and +f.midoffice_id = d.midoffice_id
            and +f.partner_id = d.partner_id and f.lease is not null and f.due_at > ?2))
     -- Without the plus SQLite prepares the statement anew for every value: 65 µs instead of 5.
     order by d.due_at, d.seq limit +?3`);
  const lease = connection.prepare(
    'update delivery set lease = ?, due_at = ?, retry_asked = 0 where seq = ?',
  );
  const nextDue = connection.prepare(`
    select due_at from delivery
     where midoffice_id = ? and state = 'pending' and due_at > ? order by due_at limit 1`);
  // Asked for by hand meanwhile, the next attempt is due at once, and the schedule's own stays as it is.
  const settle = connection.prepare(`
    update delivery
       set state = case when state <> 'pending' then state
                        when retry_asked = 1 and ?1 = 'exhausted' then 'pending' else ?1 end,
           due_at = case when state <> 'pending' then null
                         when retry_asked = 1 and ?1 <> 'delivered' then 0 else ?2 end,
           settled_at = case when state <> 'pending' then settled_at
                             when retry_asked = 1 and ?1 = 'exhausted' then null else ?3 end,
           retries_used = case when retry_asked = 1 and ?1 = 'exhausted' then 0 else ?4 end,
           scheduled_at = case when retry_asked = 1 and ?1 = 'pending' then ?2 end,
           attempts_made = ?5, last_key = ?6, retry_asked = 0, lease = null
     where seq = ?7 and lease = ?8`);
  const record = connection.prepare(`
    insert into attempt (delivery_seq, number, started_at, duration_ms, outcome, status_code,
                         reply_excerpt, error, failure_code, signature_timestamp, signature_token,
                         url, body_form, user_agent, key_id, key_fingerprint)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const followers = connection.prepare(`
    update delivery set due_at = coalesce((select due_at from delivery where seq = ?1), 0)
     where midoffice_id = ?2 and partner_order_id = ?3 and state = 'pending' and ordered = 1
       and partner_id = (select partner_id from delivery where seq = ?1)
       and lease is null and seq > ?1`);
  const release = connection.prepare(`
    update delivery set lease = null, retry_asked = 0,
                        due_at = case when state = 'pending' then 0 end
     where seq = ? and lease = ?`);
  // Of an incident that is known already, the beginning stays.
  const failing = connection.prepare(`
    update midoffice set failing_since = ?1, alerted_at = null
     where id = ?2 and (?1 is null or failing_since is null)`);
  const worked = connection.prepare('update midoffice set worked_key = ? where id = ?');
  const listeners = new Set<(midofficeIds: readonly string[]) => void>();

  function settleOne(settlement: Settlement): boolean {
    const { claimed, attempt, state, dueAtMs, settledAtMs, retriesUsed } = settlement;
    const { changes } = settle.run(
      state,
      dueAtMs,
      settledAtMs,
      retriesUsed,
      attempt.number,
      attempt.keyFingerprint,
      claimed.seq,
      claimed.lease,
    );
    if (changes === 0) return false;
    record.run(
      claimed.seq,
      attempt.number,
      attempt.startedAtMs,
      attempt.durationMs,
      attempt.outcome,
      attempt.statusCode,
      attempt.replyExcerpt,
      attempt.error,
      attempt.failureCode,
      attempt.signatureTimestamp,
      attempt.signatureToken,
      attempt.url,
      attempt.bodyForm,
      attempt.userAgent,
      attempt.keyId,
      attempt.keyFingerprint,
    );
    // Those behind it in the same order wait as long as it does, so that a claim need not step over
    // them; or may go on at once.
    if (claimed.ordered) {
      followers.run(claimed.seq, claimed.midofficeId, claimed.event.partnerOrderId);
    }
    return true;
  }

  return {
    async lanes(midofficeIds) {
      const where = midofficeIds ? ` where m.id in (${midofficeIds.map(() => '?').join()})` : '';
      const rows = connection.prepare(`select ${LANES}${where}`).all(...(midofficeIds ?? []));
      return (rows as unknown as LaneRow[]).map(toLane);
    },

    claim: (request) =>
      writer.fleeting(() => {
        const claimed: Claimed[] = [];
        const nextDueAtMs: NextWork['nextDueAtMs'] = new Map();
        for (const { midofficeId, free } of request.lanes) {
          const rows = due.all(midofficeId, request.nowMs, free) as unknown as ClaimedRow[];
          for (const row of rows) {
            lease.run(request.lease, request.leaseUntilMs, row.seq);
            row.lease = request.lease;
            claimed.push(toClaimed(row));
          }
          if (rows.length < free) {
            const next = nextDue.get(midofficeId, request.nowMs) as { due_at: number } | undefined;
            nextDueAtMs.set(midofficeId, next?.due_at ?? null);
          }
        }
        return { claimed, next: { nextDueAtMs, heldBack: NONE } };
      }),

    settle: (settlements) =>
      writer.fleeting(() =>
        settlements.filter((one) => !settleOne(one)).map((one) => one.claimed.seq),
      ),

    synced: () => writer.synced(),

    async voidLeases() {
      await writer.durable(() => {
        // In two statements, each with an index of its own: the rest of the table is history.
        connection.exec(`update delivery set lease = null, retry_asked = 0, due_at = 0
                      where state = 'pending' and lease is not null`);
        connection.exec(`update delivery set lease = null, due_at = null
                      where state in ('exhausted', 'cancelled') and lease is not null`);
      });
    },

    async release(claimed) {
      await writer.durable(() => {
        for (const { seq, lease } of claimed) release.run(seq, lease);
      });
    },

    onWork(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    announceWork(midofficeIds) {
      for (const listener of listeners) listener(midofficeIds);
    },

    async markWorked(midofficeId, keyFingerprint) {
      await writer.durable(() => worked.run(keyFingerprint, midofficeId));
    },

    async markFailing(midofficeId, sinceMs) {
      await writer.durable(() => failing.run(sinceMs as SQLInputValue, midofficeId));
    },
  };
}
