/**
 * Accepts events on PostgreSQL with one insert, which is the whole transaction. It stores them only if the facts by
 * which they were judged still hold, so those of earlier groups will do: a group of new events of the same partners is
 * one statement. Otherwise the facts are read, and the requests are judged again. If another node stores one of the
 * same events at the same time, the unique index refuses the whole insert.
 */
import type { Pool } from 'pg';
import type { OrderStore } from '../../delivery/orders/accept.ts';
import {
  type Facts,
  type Judgement,
  judge,
  type StoredEvent,
} from '../../delivery/orders/judge.ts';
import type { OrderEventInput } from '../../delivery/orders/order-event.ts';
import type { Due } from '../../delivery/stages.ts';
import { lanesOfOtherNodes, type NewPending, newPendingOf, ownWork } from '../queue/new-work.ts';
import type { KeptEvent } from './kept-writes.ts';
import { CHANNEL, payloads } from './work-notices.ts';

/** Unique violation, deadlock: another node is storing some of the same events. */
const RACED = ['23505', '40P01'];
const TRIES = 5;
/** Partners, and midoffices, whose facts are remembered. */
const MOST_REMEMBERED = 10_000;

/**
 * Where the events go, and which of them are already stored. One statement, so that a group of requests
 * needs one round trip and one connection.
 */
export const FACTS = `
  select 'partner' as kind, id, midoffice_id, null as delivery_order, null::bigint as seq,
         null as type, null as partner_id, null as partner_order_id, null as agreement_number,
         null as status, null as asked_midoffice_id
    from partner where id = any($1)
  union all
  select 'midoffice', id, null, delivery_order, null, null, null, null, null, null, null
    from midoffice where id = any($2)
  union all
  select 'midoffice', m.id, null, m.delivery_order, null, null, null, null, null, null, null
    from partner p join midoffice m on m.id = p.midoffice_id where p.id = any($1)
  union all
  select 'event', event_id, midoffice_id, null, seq, type, partner_id, partner_order_id,
         agreement_number, status, asked_midoffice_id
    from delivery where event_id = any($3)`;

type Fact =
  | { kind: 'partner'; id: string; midoffice_id: string | null }
  | { kind: 'midoffice'; id: string; delivery_order: string }
  | ({ kind: 'event'; id: string } & StoredEvent);

/**
 * Sequence numbers are drawn first, so that facts and queue rows need no join. The sequence is looked up once instead
 * of for every row.
 */
export const INSERT = `
  with sound as materialized (
    select not exists (select from delivery where event_id = any($1::text[]))
       and not exists (select from unnest($14::text[], $15::text[]) as f (id, midoffice_id)
                         left join partner p on p.id = f.id
                        where p.id is null or p.midoffice_id is distinct from f.midoffice_id)
       and not exists (select from unnest($16::text[], $17::bool[]) as f (id, ordered)
                         left join midoffice m on m.id = f.id
                        where (m.delivery_order = 'per_order') is distinct from f.ordered) as holds
  ),
  notice as (select pg_notify('${CHANNEL}', p) from unnest($11::text[]) as p),
  fresh as materialized (
    select nextval((select pg_get_serial_sequence('delivery', 'seq')::regclass)) as seq, n.*
      from (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
                                 $6::text[], $7::text[], $8::text[], $9::int[], $10::text[],
                                 $13::text[])
                     with ordinality
              as u (event_id, type, partner_id, partner_order_id, agreement_number, status,
                    asked_midoffice_id, midoffice_id, shard, order_key, trace_context, position)
             order by u.position) n
     where (select holds from sound)
  ), stored as (
    insert into delivery (seq, event_id, type, partner_id, partner_order_id, agreement_number,
                          status, asked_midoffice_id, midoffice_id, accepted_at, trace_context)
    select seq, event_id, type, partner_id, partner_order_id, agreement_number, status,
           asked_midoffice_id, midoffice_id, $12::bigint, trace_context
      from fresh
  ), queued as (
    insert into pending (seq, shard, midoffice_id, order_key, due_at, retries_used, attempts_made)
    select seq, shard, midoffice_id, order_key, $12::bigint, 0, 0
      from fresh where midoffice_id is not null
  )
  select event_id, seq, (select count(*) from notice) as notices from fresh`;

/** `keep` gets what was stored: a failover may lose it. */
export function postgresOrders(
  pool: Pool,
  keep: (events: readonly KeptEvent[]) => void,
): OrderStore<Due> {
  const partners = new Map<string, string | null>();
  const ordered = new Map<string, boolean>();
  const remembered: Omit<Facts, 'stored'> = {
    midofficeOf: (id) => partners.get(id),
    isOrdered: (id) => ordered.get(id),
  };

  return {
    async accept(requests, nowMs, epochOf) {
      const events = requests.flat();
      for (let tries = 1; tries <= TRIES; tries++) {
        const isKnown = tries === 1 && events.every(isRemembered);
        const stored = isKnown ? new Map<string, StoredEvent>() : await readFacts(events);
        const judgement = judge(requests, { ...remembered, stored: (id) => stored.get(id) });
        // Only the database knows whether an event that does not seem new is.
        if (isKnown && judgement.rows.length < events.length) continue;
        const queued = newPendingOf(judgement.rows, epochOf);
        try {
          const seqs = await store(judgement, queued, nowMs);
          if (!seqs) continue;
          const seqOf = (eventId: string) => seqs.get(eventId) as number;
          keep(
            judgement.rows.map((row) => ({
              ...row,
              seq: seqOf(row.event_id),
              accepted_at: nowMs,
            })),
          );
          return { verdicts: judgement.verdicts(seqOf), work: ownWork(queued, seqOf) };
        } catch (error) {
          const raced = RACED.includes((error as { code?: string }).code ?? '');
          if (!raced || tries === TRIES) throw error;
        }
      }
      throw new Error('the partners or midoffices of these events change again and again');
    },
  };

  function isRemembered({ partner_id, midoffice_id }: OrderEventInput): boolean {
    const midofficeId = midoffice_id ?? partners.get(partner_id);
    if (midofficeId === undefined || !partners.has(partner_id)) return false;
    return midofficeId === null || ordered.has(midofficeId);
  }

  /** Returns which of the events are stored, and remembers the rest. */
  async function readFacts(
    events: readonly OrderEventInput[],
  ): Promise<ReadonlyMap<string, StoredEvent>> {
    const partnerIds = askable(events.map((event) => event.partner_id));
    const asked = askable(events.flatMap((event) => event.midoffice_id ?? []));
    const { rows } = await pool.query<Fact>({
      name: 'facts',
      text: FACTS,
      values: [partnerIds, asked, events.map((event) => event.event_id)],
    });
    for (const known of [partners, ordered]) if (known.size > MOST_REMEMBERED) known.clear();
    for (const id of partnerIds) partners.delete(id);
    for (const id of asked) ordered.delete(id);
    const stored = new Map<string, StoredEvent>();
    for (const fact of rows) {
      switch (fact.kind) {
        case 'partner':
          partners.set(fact.id, fact.midoffice_id);
          break;
        case 'midoffice':
          ordered.set(fact.id, fact.delivery_order === 'per_order');
          break;
        case 'event':
          stored.set(fact.id, fact);
      }
    }
    return stored;
  }

  /** Undefined if nothing was stored, because the facts have changed. */
  async function store(
    { rows }: Judgement,
    queued: readonly NewPending[],
    nowMs: number,
  ): Promise<Map<string, number> | undefined> {
    if (rows.length === 0) return new Map();
    const work = new Map(queued.map((row) => [row.event_id, row]));
    const partnerIds = [...new Set(rows.map((row) => row.partner_id))];
    const routes = new Map(rows.map((row) => [row.midoffice_id, row.ordered]));
    routes.delete(null);
    const result = await pool.query<{ event_id: string; seq: number }>({
      name: 'accept',
      text: INSERT,
      values: [
        rows.map((row) => row.event_id),
        rows.map((row) => row.type),
        rows.map((row) => row.partner_id),
        rows.map((row) => row.partner_order_id),
        rows.map((row) => row.agreement_number),
        rows.map((row) => row.status),
        rows.map((row) => row.asked_midoffice_id),
        rows.map((row) => row.midoffice_id),
        rows.map((row) => work.get(row.event_id)?.shard ?? null),
        rows.map((row) => work.get(row.event_id)?.order_key ?? null),
        payloads({ kind: 'work', midofficeIds: lanesOfOtherNodes(queued) }),
        nowMs,
        rows.map((row) => row.trace_context),
        partnerIds,
        partnerIds.map(remembered.midofficeOf),
        [...routes.keys()],
        [...routes.values()],
      ],
    });
    if (result.rows.length === 0) return undefined;
    return new Map(result.rows.map((row) => [row.event_id, row.seq]));
  }
}

/** PostgreSQL refuses NUL in parameters, and no id contains it. */
function askable(ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => !id.includes('\0'));
}
