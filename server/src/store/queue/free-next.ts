/**
 * One step into the index of orders, whatever the planner believes of the table: its statistics are
 * always of before a receiver failed and parked thousands. Asked for the lowest number of an order, it
 * went through all parked rows for each, and settling came to a stop. Only this index has this order.
 */
export function firstInOrderAfter(row: string, seq: string): string {
  return `
    select q.seq, q.midoffice_id, q.order_key from pending q
     where q.order_key is not null
       and (q.midoffice_id, q.order_key, q.seq) > (${row}.midoffice_id, ${row}.order_key, ${seq})
     order by q.midoffice_id, q.order_key, q.seq limit 1`;
}
