/** How PostgreSQL claimed due deliveries before it had a queue (0008). */

/**
 * The claim is a function because it takes two steps that must see different snapshots: it first locks the
 * midoffice's row, so that nodes take turns, and only then counts its attempts in flight. In one statement
 * the count would be from before the lock, and two nodes could both fill the same last slot. A volatile
 * function gives each of its statements a snapshot of its own.
 *
 * It may not sort or scan, because the planner's statistics are always from before the storm: they say that
 * almost nothing is pending, so the planner would read and sort everything that is. That took 30 ms for each
 * lane with 5,000 pending, while the index of what is due has the few that are wanted in order.
 */
const BY_INDEX_ONLY =
  'set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off';

export const claimFunction = (leased: string) => `
  create or replace function claim_deliveries(
    midoffice_ids text[], free_slots int[], now_ms bigint, lease_until_ms bigint, new_lease text
  ) returns setof delivery language plpgsql volatile ${BY_INDEX_ONLY} as $$
  begin
    perform 1 from midoffice m where m.id = any(midoffice_ids) order by m.id for no key update;
    return query
      update delivery d set ${leased}
        from unnest(midoffice_ids, free_slots) as asked (midoffice_id, free)
        join midoffice m on m.id = asked.midoffice_id and m.paused = 0
        cross join lateral (
          select p.seq from delivery p
           where p.midoffice_id = m.id and p.state = 'pending' and p.due_at <= now_ms
             and (p.ordered = 0 or not exists (
               select 1 from delivery e
                where e.midoffice_id = p.midoffice_id and e.partner_order_id = p.partner_order_id
                  and e.partner_id = p.partner_id
                  and e.state = 'pending' and e.ordered = 1 and e.seq < p.seq)
               -- Nor while one is under way that was accepted later or cancelled meanwhile.
               and not exists (
               select 1 from delivery f
                where f.partner_order_id = p.partner_order_id and f.midoffice_id = p.midoffice_id
                  and f.partner_id = p.partner_id and f.lease is not null and f.due_at > now_ms))
           order by p.due_at, p.seq
           limit greatest(0, least(asked.free, m.max_in_flight - (
             select count(*) from delivery f
              where f.midoffice_id = m.id and f.lease is not null and f.due_at > now_ms)::int))
           for update skip locked
        ) picked
       where d.seq = picked.seq
      returning d.*;
  end $$`;

/** When the earliest pending work of a midoffice after a time is due. */
export const NEXT_DUE_FUNCTION = `
  create function next_due(midoffice text, after_ms bigint) returns bigint
  language plpgsql stable ${BY_INDEX_ONLY} as $$
  begin
    return (select d.due_at from delivery d
             where d.midoffice_id = midoffice and d.state = 'pending' and d.due_at > after_ms
             order by d.due_at limit 1);
  end $$`;
