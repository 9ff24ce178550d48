/**
 * Stores again what a failover has lost: the new primary is asked which of the kept writes it lacks, and gets those in
 * their old order. Deliveries keep their numbers, which no history gives out twice, so the ids that senders were told
 * stay true. Every node does this by itself, and what two of them remember is stored once.
 */
import type { Pool } from 'pg';
import { DatabaseAway } from '../../base/database-errors.ts';
import type { Log } from '../../base/log.ts';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import type { Remembered } from '../../delivery/queue.ts';
import type { Due, Settlement } from '../../delivery/stages.ts';
import { newPendingOf } from '../queue/new-work.ts';
import type { KeptEvent, KeptWrite } from './kept-writes.ts';
import { restoreChanges } from './restore-changes.ts';
import { restoreOutcomes } from './settle.ts';
import { CHANNEL, payloads } from './work-notices.ts';

const AT_ONCE = 500;

export interface Restored {
  events: number;
  outcomes: number;
  changes: number;
  /** Each is named in the log. */
  notRestored: number;
}

export interface Restoring {
  pool: Pool;
  log: Log;
  nowMs(): number;
}

/**
 * `before` is what was kept up to the failover. Throws if the database is away; then all of it is tried again. Other
 * errors end up in `failures`, so that one write that cannot be stored holds up no other.
 */
export async function restoreWrites(
  parts: Restoring,
  before: readonly KeptWrite[],
): Promise<{ restored: Restored; failures: unknown[] }> {
  const restored: Restored = { events: 0, outcomes: 0, changes: 0, notRestored: 0 };
  const failures: unknown[] = [];
  for (const run of runsOf(before)) {
    try {
      if (run.kind === 'deliveries') await restoreDeliveries(parts, run.some, restored);
      else {
        const changes = run.some.map(({ change }) => change);
        const { made, notMade } = await restoreChanges(changes, parts.log);
        restored.changes += made;
        restored.notRestored += notMade;
      }
    } catch (error) {
      if (error instanceof DatabaseAway) throw error;
      failures.push(error);
    }
  }
  return { restored, failures };
}

/** Events before what became of them. */
async function restoreDeliveries(
  parts: Restoring,
  some: Extract<Run, { kind: 'deliveries' }>['some'],
  restored: Restored,
): Promise<void> {
  const seqOf = new Map<string, number>();
  const events = some.flatMap(eventsOf);
  for (let i = 0; i < events.length; i += AT_ONCE) {
    await restoreEvents(parts, events.slice(i, i + AT_ONCE), seqOf, restored);
  }
  const outcomes = some
    .flatMap((write) => (write.kind === 'outcomes' ? write.outcomes : []))
    .map((one) => withSeq(one, seqOf.get(one.due.event_id)));
  for (const batch of batchesOf(outcomes)) {
    const lost = await lostOutcomes(parts.pool, batch);
    if (lost.length === 0) continue;
    await restoreOutcomes(parts.pool, lost, parts.nowMs());
    restored.outcomes += lost.length;
  }
}

/** What a worker remembers, as if it had been written. */
export function writesOf({ due, outcomes }: Remembered): KeptWrite[] {
  const events = due.map(eventOf);
  return [
    { kind: 'events', events },
    { kind: 'outcomes', outcomes },
  ];
}

type Run =
  | { kind: 'change'; some: Extract<KeptWrite, { kind: 'change' }>[] }
  | { kind: 'deliveries'; some: Exclude<KeptWrite, { kind: 'change' }>[] };

/** A change may concern a delivery, and a delivery a partner that was created a moment before. */
function runsOf(writes: readonly KeptWrite[]): Run[] {
  const runs: Run[] = [];
  for (const write of writes) {
    const last = runs.at(-1);
    if (write.kind === 'change') {
      if (last?.kind === 'change') last.some.push(write);
      else runs.push({ kind: 'change', some: [write] });
    } else if (last?.kind === 'deliveries') last.some.push(write);
    else runs.push({ kind: 'deliveries', some: [write] });
  }
  return runs;
}

/** Whoever has sent a webhook also knows its event: the node that accepted it may be gone. */
function eventsOf(write: Run['some'][number]): KeptEvent[] {
  if (write.kind === 'events') return [...write.events];
  return write.kind === 'outcomes' ? write.outcomes.map(({ due }) => eventOf(due)) : [];
}

function eventOf(due: Due): KeptEvent {
  return {
    ...due,
    asked_midoffice_id: null,
    ordered: due.order_key !== null,
    // Replaced by the time at which it is stored again.
    accepted_at: 0,
  };
}

const PRESENT = `
  select event_id, seq, type, partner_id, partner_order_id, agreement_number, status
    from delivery where event_id = any($1::text[])`;
const CONTENT = ['type', 'partner_id', 'partner_order_id', 'agreement_number', 'status'] as const;
type Present = Pick<KeptEvent, 'event_id' | 'seq' | (typeof CONTENT)[number]>;

/**
 * A row is due at once; if it was attempted, its outcome follows. Whatever has its number or its event id is left
 * alone: another node was faster, or the sender has reported the event again.
 */
const STORE = `
  with given as (
    select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                         $7::text[], $8::text[], $9::text[], $10::bigint[], $11::text[],
                         $12::int[], $13::text[])
             as u (seq, event_id, type, partner_id, partner_order_id, agreement_number, status,
                   asked_midoffice_id, midoffice_id, accepted_at, trace_context, shard, order_key)
  ), stored as (
    insert into delivery (seq, event_id, type, partner_id, partner_order_id, agreement_number,
                          status, asked_midoffice_id, midoffice_id, accepted_at, trace_context)
    select seq, event_id, type, partner_id, partner_order_id, agreement_number, status,
           asked_midoffice_id, midoffice_id, accepted_at, trace_context
      from given order by seq
    on conflict do nothing
    returning seq
  ), queued as (
    insert into pending (seq, shard, midoffice_id, order_key, due_at, retries_used, attempts_made)
    select g.seq, g.shard, g.midoffice_id, g.order_key, $14::bigint, 0, 0
      from given g join stored s on s.seq = g.seq
     where g.midoffice_id is not null
       -- Support has cancelled it, and that was stored again already.
       and not exists (select from given_up u where u.seq = g.seq)
  ), notice as (select pg_notify('${CHANNEL}', p) from unnest($15::text[]) as p)
  select seq, (select count(*) from notice) as notices from stored`;

async function restoreEvents(
  { pool, log, nowMs }: Restoring,
  events: readonly KeptEvent[],
  /** Gets the numbers of those that have others by now. */
  seqOf: Map<string, number>,
  restored: Restored,
): Promise<void> {
  // The first of several is the event itself, and the others are made of its attempts.
  const byId = new Map(events.toReversed().map((event) => [event.event_id, event]));
  const { rows } = await pool.query<Present>(PRESENT, [[...byId.keys()]]);
  const present = new Map(rows.map((row) => [row.event_id, row]));
  const replaced = rows.flatMap((row) => {
    const event = byId.get(row.event_id) as KeptEvent;
    return event.seq !== row.seq && CONTENT.some((field) => event[field] !== row[field])
      ? event
      : [];
  });
  for (const { event_id, seq } of replaced) {
    log.error(
      { event_id, delivery: deliveryId(seq) },
      'an event was lost in a failover, and its id was used for another one before it could be stored again',
    );
  }
  restored.notRestored += replaced.length;
  for (const { event_id, seq } of rows) {
    const event = byId.get(event_id) as KeptEvent;
    if (event.seq !== seq && !replaced.includes(event)) seqOf.set(event_id, seq);
  }
  const lost = [...byId.values()].filter(({ event_id }) => !present.has(event_id));
  if (lost.length === 0) return;
  const now = nowMs();
  const work = new Map(newPendingOf(lost, () => undefined).map((row) => [row.event_id, row]));
  const midofficeIds = [...new Set(lost.flatMap(({ midoffice_id }) => midoffice_id ?? []))];
  const all = <K extends keyof KeptEvent>(column: K) => lost.map((event) => event[column]);
  const stored = await pool.query<{ seq: number }>(STORE, [
    ...[all('seq'), all('event_id'), all('type'), all('partner_id'), all('partner_order_id')],
    ...[all('agreement_number'), all('status'), all('asked_midoffice_id'), all('midoffice_id')],
    lost.map(({ accepted_at }) => accepted_at || now),
    all('trace_context'),
    lost.map(({ event_id }) => work.get(event_id)?.shard ?? null),
    lost.map(({ event_id }) => work.get(event_id)?.order_key ?? null),
    now,
    payloads({ kind: 'work', midofficeIds }),
  ]);
  for (const { seq } of stored.rows) {
    log.warn({ delivery: deliveryId(seq) }, 'an event was lost in a failover, and is stored again');
  }
  restored.events += stored.rows.length;
}

/**
 * By their tokens: an attempt may have got another number. One that could not be signed has none. An event whose id
 * was used for another one has no delivery any more.
 */
const LOST_OUTCOMES = `
  select o.position
    from unnest($1::bigint[], $2::text[], $3::int[]) with ordinality as o (seq, token, number, position)
   where exists (select from delivery d where d.seq = o.seq)
     and not exists (
       select from attempt a where a.delivery_seq = o.seq and a.signature_token = o.token
          and (o.token <> '' or a.number = o.number))`;

async function lostOutcomes(pool: Pool, outcomes: readonly Settlement[]): Promise<Settlement[]> {
  const { rows } = await pool.query<{ position: number }>(LOST_OUTCOMES, [
    outcomes.map(({ due }) => due.seq),
    outcomes.map(({ attempt }) => attempt.signature_token),
    outcomes.map(({ attempt }) => attempt.number),
  ]);
  return rows.map(({ position }) => outcomes[position - 1] as Settlement);
}

/** The sender has reported the event again, and it is another delivery. What became of it counts all the same. */
function withSeq(outcome: Settlement, seq: number | undefined): Settlement {
  return seq === undefined ? outcome : { ...outcome, due: { ...outcome.due, seq } };
}

/** In order, and never two outcomes of one delivery together. */
function batchesOf(outcomes: readonly Settlement[]): Settlement[][] {
  const batches: Settlement[][] = [];
  let seqs = new Set<number>();
  for (const one of outcomes) {
    let batch = batches.at(-1);
    if (!batch || batch.length === AT_ONCE || seqs.has(one.due.seq)) {
      batch = [];
      seqs = new Set();
      batches.push(batch);
    }
    batch.push(one);
    seqs.add(one.due.seq);
  }
  return batches;
}
