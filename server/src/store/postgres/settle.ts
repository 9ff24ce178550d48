/**
 * Settles attempts on PostgreSQL. A key-share lock on the rows of the shards fences a batch: a takeover has
 * to wait for it. The usual outcome, delivered and without an order to keep, takes one statement. All
 * others are decided with their rows locked, because support may be changing them.
 */
import type { Pool, PoolClient } from 'pg';
import type { Settled } from '../../delivery/queue.ts';
import type { Settlement } from '../../delivery/stages.ts';
import { type FollowUp, followUp, type PendingSnapshot, settledAs } from '../queue/follow-up.ts';
import { FREE_NEXT_POSTGRES, type RemovedRow } from '../queue/free-next.ts';
import { resultOf } from '../queue/last-result.ts';
import { noticeExhausted } from './notices.ts';
import {
  FENCE,
  outcomesAfterFence,
  outcomesAlone,
  RECORD,
  recordValues,
} from './settle-statements.ts';

/**
 * Answers with the shards that are still ours and with the exceptions: a row for each delivery would cost more than all else.
 * An array instead of a join: if `pending` was empty when it was last analyzed, as on an idle system, PostgreSQL went
 * through all pending rows for each batch.
 */
export const DELIVERED = `
  with ${FENCE},
  outcome as (
    select o.* from ${outcomesAfterFence} join held on held.n = o.shard and held.epoch = o.epoch),
  recorded as (${RECORD} from outcome o on conflict do nothing returning delivery_seq),
  removed as (
    delete from pending where seq = any (array(select delivery_seq from recorded))
    returning seq, midoffice_id, order_key)
  select n as id, 'held' as part, epoch, null as midoffice_id, null as order_key from held
  union all select seq, 'known', null, null, null
    from (select seq from outcome except select delivery_seq from recorded) o
  union all select delivery_seq, 'cancelled', null, null, null
    from (select delivery_seq from recorded except select seq from removed) r
  union all select seq, 'ordered', null, midoffice_id, order_key
    from removed where order_key is not null`;

const HELD = `with ${FENCE} select n, epoch from held`;

const SNAPSHOT = `
  select seq, midoffice_id, order_key, asked_at, due_at from pending
   where seq = any($1::bigint[]) order by seq for update`;

const RECORDED = `${RECORD} from ${outcomesAlone} on conflict do nothing
  returning delivery_seq as seq`;

const POSTPONE = `
  update pending p
     set due_at = o.due_at, scheduled_at = o.scheduled_at, retries_used = o.retries_used,
         attempts_made = o.number, last_key = o.key, last_result = o.result
    from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::int[], $6::text[],
                $7::text[])
      as o (seq, due_at, scheduled_at, retries_used, number, key, result)
   where p.seq = o.seq`;

const GIVE_UP = `
  insert into given_up (seq, midoffice_id, partner_id, state, at, why, last_result)
  select o.seq, o.midoffice_id, o.partner_id, 'exhausted', o.at, o.why, o.result
    from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[])
      as o (seq, midoffice_id, partner_id, at, why, result)
  on conflict (seq) do update
     set state = excluded.state, at = excluded.at, why = excluded.why, last_result = excluded.last_result`;

/** An attempt that support cancelled meanwhile. */
const ENDED_LATE = `
  update given_up g set last_result = o.result
    from unnest($1::bigint[], $2::text[]) as o (seq, result) where g.seq = o.seq`;

/** Attempts whose number another attempt of the delivery has, with the highest number. */
const CLASHING = `
  select o.seq, (select max(n.number) from attempt n where n.delivery_seq = o.seq) as highest
    from unnest($1::bigint[], $2::int[], $3::text[]) as o (seq, number, token)
    join attempt a on a.delivery_seq = o.seq and a.number = o.number
   where a.signature_token <> o.token`;

const COUNT_ATTEMPTS = `
  update pending p set attempts_made = o.number
    from unnest($1::bigint[], $2::int[]) as o (seq, number)
   where p.seq = o.seq and p.attempts_made < o.number`;

type SnapshotRow = PendingSnapshot & { seq: number; midoffice_id: string };

type SettledPart =
  | { part: 'held'; id: number; epoch: number }
  | { part: 'known' | 'cancelled'; id: number }
  | { part: 'ordered'; id: number; midoffice_id: string; order_key: string };

export async function settle(
  pool: Pool,
  settlements: readonly Settlement[],
  nowMs: number,
): Promise<Settled[]> {
  const plain: Settlement[] = [];
  const others: Settlement[] = [];
  for (const one of settlements) {
    const isPlain = one.state === 'delivered' && one.due.order_key === null;
    (isPlain ? plain : others).push(one);
  }
  // Sorted, so that two transactions that lock several rows cannot deadlock.
  plain.sort((a, b) => a.due.seq - b.due.seq);
  const settleOthers = (some: readonly Settlement[]) =>
    some.length === 0 ? [] : transaction(pool, (client) => settleCarefully(client, some, nowMs));
  // If one of the two fails, settling all of them again is safe: no attempt is recorded twice.
  const [delivered, careful] = await Promise.all([
    plain.length === 0 ? { settled: [], known: [] } : settleDelivered(pool, plain, nowMs),
    settleOthers(others),
  ]);
  return [...delivered.settled, ...careful, ...(await settleOthers(delivered.known))];
}

/** After a failover: no node can own the shards under the epochs in which these attempts were made. */
export async function restoreOutcomes(
  pool: Pool,
  settlements: readonly Settlement[],
  nowMs: number,
): Promise<void> {
  await transaction(pool, (client) => settleRows(client, settlements, nowMs, { isLate: true }));
}

/** `known`: an attempt with that number was recorded before, perhaps another one. */
async function settleDelivered(
  pool: Pool,
  settlements: readonly Settlement[],
  nowMs: number,
): Promise<{ settled: Settled[]; known: Settlement[] }> {
  const { rows } = await pool.query<SettledPart>({
    name: 'settle delivered',
    text: DELIVERED,
    values: [...shardsOf(settlements), ...recordValues(settlements)],
  });
  const epochs = new Map<number, number>();
  const parts = { known: new Set<number>(), cancelled: new Set<number>() };
  const ordered: RemovedRow[] = [];
  for (const row of rows) {
    if (row.part === 'held') epochs.set(row.id, row.epoch);
    else if (row.part === 'ordered') ordered.push({ ...row, seq: row.id });
    else parts[row.part].add(row.id);
  }
  // The midoffice was switched to `per_order` after the attempt began.
  await freeNext(pool, ordered, nowMs);
  const ours = settlements.filter(({ due }) => epochs.get(due.shard) === due.epoch);
  const known = ours.filter(({ due }) => parts.known.has(due.seq));
  const fresh = known.length === 0 ? ours : ours.filter(({ due }) => !parts.known.has(due.seq));
  const isLate = ({ due }: Settlement) => parts.cancelled.has(due.seq);
  await endedLate(pool, fresh.filter(isLate));
  const settled = fresh.map((one) =>
    settledAs(one, { kind: isLate(one) ? 'cancelled' : 'delivered' }, true),
  );
  return { settled, known };
}

/** Locks the rows, because support may be changing them. */
async function settleCarefully(
  client: PoolClient,
  settlements: readonly Settlement[],
  nowMs: number,
): Promise<Settled[]> {
  const held = await client.query<{ n: number; epoch: number }>({
    name: 'fence',
    text: HELD,
    values: shardsOf(settlements),
  });
  const epochs = new Map(held.rows.map((row) => [row.n, row.epoch]));
  const ours = settlements.filter(({ due }) => epochs.get(due.shard) === due.epoch);
  return ours.length === 0 ? [] : settleRows(client, ours, nowMs);
}

/**
 * `isLate`: another node may have attempted the deliveries since. Then a failure is only recorded, because the schedule
 * has gone on without it; a success is still the end.
 */
async function settleRows(
  client: PoolClient,
  ours: readonly Settlement[],
  nowMs: number,
  { isLate = false } = {},
): Promise<Settled[]> {
  const snapshot = await client.query<SnapshotRow>({
    name: 'snapshot',
    text: SNAPSHOT,
    values: [ours.map(({ due }) => due.seq)],
  });
  const { recorded, recordedNow, renumbered } = await record(client, ours);
  const bySeq = new Map(snapshot.rows.map((row) => [row.seq, row]));
  const followed = recorded.map((settlement) => {
    const row = bySeq.get(settlement.due.seq);
    const isNew = recordedNow.has(settlement.due.seq);
    const isOver = settlement.attempt.outcome === 'delivered' || !row;
    const next: FollowUp =
      isLate && !isOver && renumbered.has(settlement)
        ? { kind: 'known', due_at: row.due_at }
        : followUp(settlement, row, { isNew, nowMs });
    return { settlement, row, isNew, next };
  });
  await countAttempts(client, renumbered);
  await write(client, followed, nowMs);
  return followed.map(({ settlement, next, isNew }) => settledAs(settlement, next, isNew));
}

/**
 * Records attempts under the next free number if another one has theirs: then the row in `pending` counts too few, and
 * the delivery would be attempted for ever. That happens after a failover, if two nodes know of different attempts.
 */
async function record(client: PoolClient, settlements: readonly Settlement[]): Promise<Recorded> {
  const insert = async (some: readonly Settlement[]) => {
    const values = recordValues(some);
    const query = { name: 'record', text: RECORDED, values };
    return (await client.query<{ seq: number }>(query)).rows.map(({ seq }) => seq);
  };
  const recordedNow = new Set(await insert(settlements));
  const known = settlements.filter(({ due }) => !recordedNow.has(due.seq));
  const renumbered = new Set<Settlement>();
  if (known.length === 0) return { recorded: settlements, recordedNow, renumbered };
  const { rows } = await client.query<{ seq: number; highest: number }>(CLASHING, [
    known.map(({ due }) => due.seq),
    known.map(({ attempt }) => attempt.number),
    known.map(({ attempt }) => attempt.signature_token),
  ]);
  const highest = new Map(rows.map((row) => [row.seq, row.highest]));
  const recorded = settlements.map((one) => {
    const taken = highest.get(one.due.seq);
    if (taken === undefined) return one;
    const next = { ...one, attempt: { ...one.attempt, number: taken + 1 } };
    renumbered.add(next);
    return next;
  });
  if (renumbered.size > 0) for (const seq of await insert([...renumbered])) recordedNow.add(seq);
  return { recorded, recordedNow, renumbered };
}

interface Recorded {
  recorded: readonly Settlement[];
  /** The deliveries whose attempt was not known before. */
  recordedNow: ReadonlySet<number>;
  /** Those with another number than they had. */
  renumbered: ReadonlySet<Settlement>;
}

/** So that the next attempt has the next number. */
async function countAttempts(client: PoolClient, some: ReadonlySet<Settlement>): Promise<void> {
  if (some.size === 0) return;
  await client.query(COUNT_ATTEMPTS, [
    [...some].map(({ due }) => due.seq),
    [...some].map(({ attempt }) => attempt.number),
  ]);
}

interface Followed {
  settlement: Settlement;
  row: SnapshotRow | undefined;
  isNew: boolean;
  next: FollowUp;
}

async function write(
  client: PoolClient,
  followed: readonly Followed[],
  nowMs: number,
): Promise<void> {
  const late: Settlement[] = [];
  const postponed: (Settlement & { next: FollowUp & { kind: 'pending' } })[] = [];
  const exhausted: (Settlement & { next: FollowUp & { kind: 'exhausted' } })[] = [];
  const removed: SnapshotRow[] = [];
  for (const { settlement, row, isNew, next } of followed) {
    switch (next.kind) {
      case 'pending':
        postponed.push({ ...settlement, next });
        break;
      case 'delivered':
        if (row) removed.push(row);
        break;
      case 'exhausted':
        if (row) removed.push(row);
        exhausted.push({ ...settlement, next });
        break;
      case 'cancelled':
        if (isNew) late.push(settlement);
        break;
      case 'known':
        break;
      default:
        next satisfies never;
    }
  }
  await endedLate(client, late);
  if (postponed.length > 0) {
    await client.query({
      name: 'postpone',
      text: POSTPONE,
      values: [
        postponed.map(({ due }) => due.seq),
        postponed.map(({ next }) => next.due_at),
        postponed.map(({ next }) => next.scheduled_at),
        postponed.map(({ next }) => next.retries_used),
        postponed.map(({ attempt }) => attempt.number),
        postponed.map(({ last_key }) => last_key),
        postponed.map(({ attempt }) => resultOf(attempt)),
      ],
    });
  }
  if (removed.length === 0) return;
  await client.query({
    name: 'remove',
    text: 'delete from pending where seq = any($1::bigint[])',
    values: [removed.map(({ seq }) => seq)],
  });
  if (exhausted.length > 0) {
    await client.query({
      name: 'give up',
      text: GIVE_UP,
      values: [
        exhausted.map(({ due }) => due.seq),
        exhausted.map(({ due }) => due.midoffice_id),
        exhausted.map(({ due }) => due.partner_id),
        exhausted.map(({ next }) => next.settled_at),
        exhausted.map(({ attempt }) => attempt.failure_code),
        exhausted.map(({ attempt }) => resultOf(attempt)),
      ],
    });
    await noticeExhausted(client, exhausted, nowMs);
  }
  await freeNext(client, removed, nowMs);
}

async function endedLate(
  client: Pick<PoolClient, 'query'>,
  settlements: readonly Settlement[],
): Promise<void> {
  if (settlements.length === 0) return;
  await client.query({
    name: 'ended late',
    text: ENDED_LATE,
    values: [
      settlements.map(({ due }) => due.seq),
      settlements.map(({ attempt }) => resultOf(attempt)),
    ],
  });
}

async function freeNext(
  client: Pick<PoolClient, 'query'>,
  removed: readonly RemovedRow[],
  nowMs: number,
): Promise<void> {
  const inOrder = removed.filter((row) => row.order_key !== null);
  if (inOrder.length === 0) return;
  await client.query({
    name: 'free next',
    text: FREE_NEXT_POSTGRES,
    values: [
      inOrder.map((row) => row.midoffice_id),
      inOrder.map((row) => row.order_key),
      inOrder.map((row) => row.seq),
      nowMs,
    ],
  });
}

/**
 * A node that vanishes between two statements would hold the fence, and delay a takeover, until PostgreSQL
 * ends its session.
 */
const BEGIN = "begin; set local idle_in_transaction_session_timeout = '2s'";

async function transaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    );
    throw error;
  }
}

export function shardsOf(settlements: readonly Settlement[]): [number[], number[]] {
  const epochs = new Map<string, { shard: number; epoch: number }>();
  for (const { due } of settlements) epochs.set(`${due.shard} ${due.epoch}`, due);
  const some = [...epochs.values()].sort((a, b) => a.shard - b.shard);
  return [some.map(({ shard }) => shard), some.map(({ epoch }) => epoch)];
}
