-- The outbox of the booking core: one row for each order event that Bellhop has not accepted yet.
-- PostgreSQL 14 or newer. Run it in the database that holds the orders.

create table order_event_outbox (
  -- Given when the row is inserted. See "Order" in docs/booking-core/outbox.md.
  position bigint generated always as identity primary key,
  -- Makes it harmless to send an event twice.
  event_id text not null default gen_random_uuid()::text,
  type text not null,
  partner_id text not null,
  partner_order_id text not null,
  agreement_number text,
  status text,
  midoffice_id text,
  created_at timestamptz not null default clock_timestamp(),
  -- Set if Bellhop refused this event. The relay skips it until someone clears both columns.
  parked_at timestamptz,
  refusal text
);

-- The relay reads through these two, so parked rows cost it nothing.
create index order_event_outbox_waiting on order_event_outbox (position) where parked_at is null;
create index order_event_outbox_parked on order_event_outbox (position) where parked_at is not null;

-- Rows are deleted as soon as they are sent. Vacuum by number of rows, because the table is almost empty
-- most of the time and a share of nothing would never be reached during a burst.
alter table order_event_outbox set (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 10000
);
