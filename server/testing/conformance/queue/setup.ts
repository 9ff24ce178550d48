/** What the suites of the queue share: one database each, with an owner of all its shards. */
import type { Selectable } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import type { Due } from '../../../src/delivery/stages.ts';
import { deliverySeq } from '../../../src/orders/order-event.ts';
import type { AttemptRow, PendingRow } from '../../../src/store/schema.ts';
import type { NewMidoffice } from '../../../src/support/create-midoffice.ts';
import { type FreshPlace, Rig, type TestMidoffice } from '../../delivery-rig.ts';
import { QueueOwner } from '../../queue-owner.ts';

/** Nothing is sent here: the address only has to be one that may be registered. */
export const URL = 'http://127.0.0.1:9/hook';
export const RETRY = { retryInMs: 60_000 };
export const ORDERED = { delivery_order: 'per_order' } as const;

export interface QueueTest {
  rig: Rig;
  owner: QueueOwner;
  midoffice: TestMidoffice;
}

/** A midoffice of the test's own. */
export type NewQueueTest = (more?: Partial<NewMidoffice>) => Promise<QueueTest>;

/** One database for a whole suite, none of whose tests minds what the others did. */
export function shareQueue(freshPlace: FreshPlace): NewQueueTest {
  let rig: Rig;
  let owner: QueueOwner;
  beforeAll(async () => {
    rig = await Rig.open(await freshPlace(), { atEnd: () => {} });
    owner = await QueueOwner.of(rig);
  });
  afterAll(() => rig?.close());
  return async (more) => ({ rig, owner, midoffice: await rig.midoffice(URL, more) });
}

export function seqOf(id: string): number {
  return deliverySeq(id) as number;
}

/** Which of the deliveries these are, by their place in `ids`. */
export function placesIn(ids: readonly string[], due: readonly Due[]): number[] {
  return due.map(({ seq }) => ids.map(seqOf).indexOf(seq)).sort((a, b) => a - b);
}

export function orders(due: readonly Due[]): string[] {
  return due.map((one) => one.event.partnerOrderId);
}

export async function pendingRow(
  { store }: Pick<Rig, 'store'>,
  id: string,
): Promise<Selectable<PendingRow> | undefined> {
  return store.db.selectFrom('pending').selectAll().where('seq', '=', seqOf(id)).executeTakeFirst();
}

/** Of each delivery, whether it waits for another of its order. */
export async function parked(rig: Rig, ids: readonly string[]): Promise<boolean[]> {
  return Promise.all(ids.map(async (id) => (await pendingRow(rig, id))?.due_at === null));
}

export async function attemptsOf(
  { store }: Pick<Rig, 'store'>,
  id: string,
): Promise<Selectable<AttemptRow>[]> {
  return store.db
    .selectFrom('attempt')
    .selectAll()
    .where('delivery_seq', '=', seqOf(id))
    .orderBy('number')
    .execute();
}

/** All that the queue consists of, for comparing. */
export async function everything({ store }: Pick<Rig, 'store'>) {
  const { db } = store;
  const rowsOf = (table: 'delivery' | 'pending' | 'given_up') =>
    db.selectFrom(table).selectAll().orderBy('seq').execute();
  return {
    deliveries: await rowsOf('delivery'),
    pending: await rowsOf('pending'),
    givenUp: await rowsOf('given_up'),
    attempts: await db
      .selectFrom('attempt')
      .selectAll()
      .orderBy('delivery_seq')
      .orderBy('number')
      .execute(),
  };
}
