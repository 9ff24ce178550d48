/**
 * Reads deliveries with their state, which is the table they are found in. One statement, so that no
 * delivery is seen between two tables.
 */
import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import type { DeliveryState, GivenUpState } from '../../delivery/states.ts';
import type { AttemptFailure } from '../../receiver/failure-codes.ts';
import type { DeliveryRow, Schema } from '../schema.ts';

export interface DeliveryProgress {
  state: DeliveryState;
  /** When the next attempt is due. Null unless pending, or if it waits for an earlier event of its order. */
  due_at: number | null;
  /** While an attempt requested by support comes first: when the scheduled one is due. */
  scheduled_at: number | null;
  retries_used: number;
  attempts_made: number;
  /** How the last attempt ended; both are null before the first. */
  last_status_code: number | null;
  last_failure_code: AttemptFailure | null;
  /** Null while it is pending or unrouted. */
  settled_at: number | null;
  /** When somebody decided that it needs no recovery; only of exhausted ones. */
  acknowledged_at: number | null;
}

export type FoundDelivery = Selectable<DeliveryRow> &
  DeliveryProgress & {
    partner_name: string | null;
    midoffice_name: string | null;
    midoffice_paused: number | null;
  };

// biome-ignore lint/suspicious/noExplicitAny: deliveries can be picked from any tables.
export type Picked = SelectQueryBuilder<Schema, any, { seq: number }>;

export async function readDelivery(
  db: Kysely<Schema>,
  seq: number,
): Promise<FoundDelivery | undefined> {
  const [found] = await readDeliveries(
    db,
    db.selectFrom('delivery').select('seq').where('seq', '=', seq),
  );
  return found;
}

/** The delivery of the event with this id. */
export async function readDeliveryOfEvent(
  db: Kysely<Schema>,
  eventId: string,
): Promise<FoundDelivery | undefined> {
  const [found] = await readDeliveries(
    db,
    db.selectFrom('delivery').select('seq').where('event_id', '=', eventId),
  );
  return found;
}

/** Of those that are pending, oldest first. */
export async function readAttemptsMade(db: Kysely<Schema>, seqs: readonly number[]) {
  return db
    .selectFrom('pending')
    .select(['seq', 'attempts_made'])
    .where('seq', 'in', seqs)
    .orderBy('seq')
    .execute();
}

/** Newest first. */
export async function readDeliveries(db: Kysely<Schema>, picked: Picked): Promise<FoundDelivery[]> {
  const rows = await db
    .selectFrom(picked.as('picked'))
    // SQLite joins a cross join in the order given.
    .crossJoin('delivery')
    .leftJoin('pending', 'pending.seq', 'delivery.seq')
    .leftJoin('given_up', 'given_up.seq', 'delivery.seq')
    .leftJoin('attempt', (join) =>
      join.onRef('attempt.delivery_seq', '=', 'delivery.seq').on('attempt.number', '=', (last) =>
        last
          .selectFrom('attempt as one')
          .select((of) => of.fn.max('one.number').as('number'))
          .whereRef('one.delivery_seq', '=', 'delivery.seq'),
      ),
    )
    .leftJoin('partner', 'partner.id', 'delivery.partner_id')
    .leftJoin('midoffice', 'midoffice.id', 'delivery.midoffice_id')
    .selectAll('delivery')
    .select((of) => [
      'pending.seq as pending_seq',
      'pending.due_at',
      'pending.scheduled_at',
      of.fn.coalesce('pending.retries_used', of.lit(0)).as('retries_used'),
      'given_up.state as given_up_as',
      'given_up.at as given_up_at',
      'given_up.acknowledged_at',
      of.fn.coalesce('attempt.number', of.lit(0)).as('attempts_made'),
      of('attempt.started_at', '+', of.ref('attempt.duration_ms')).as('ended_at'),
      'attempt.status_code as last_status_code',
      'attempt.failure_code as last_failure_code',
      'partner.name as partner_name',
      'midoffice.name as midoffice_name',
      'midoffice.paused as midoffice_paused',
    ])
    .whereRef('delivery.seq', '=', 'picked.seq')
    .orderBy('delivery.seq', 'desc')
    .execute();
  return rows.map(({ pending_seq, given_up_as, given_up_at, ended_at, ...row }) => {
    const state = stateOf(pending_seq !== null, given_up_as, row.midoffice_id);
    return { ...row, state, settled_at: state === 'delivered' ? ended_at : given_up_at };
  });
}

export function stateOf(
  isPending: boolean,
  givenUpAs: GivenUpState | null,
  midofficeId: string | null,
): DeliveryState {
  if (isPending) return 'pending';
  if (givenUpAs !== null) return givenUpAs;
  return midofficeId === null ? 'unrouted' : 'delivered';
}
