/** The setup of the queue's suites: one database each, with an owner of all its shards. */
import type { Selectable } from 'kysely';
import { afterAll, beforeAll, expect } from 'vitest';
import { deliverySeq } from '../../../src/delivery/orders/order-event.ts';
import type { Due } from '../../../src/delivery/stages.ts';
import type { NewMidoffice } from '../../../src/resources/midoffices/midoffice.ts';
import type { AttemptRow, PendingRow } from '../../../src/store/schema.ts';
import { type NewDatabase, Rig, type TestMidoffice } from '../../delivery-rig.ts';
import { QueueOwner } from '../../queue-owner.ts';

/** Nothing is sent; the URL only has to be valid for registration. */
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

/** One database for a whole suite. Its tests do not depend on each other. */
export function shareQueue(newDatabase: NewDatabase): NewQueueTest {
  let rig: Rig;
  let owner: QueueOwner;
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    owner = await QueueOwner.of(rig);
  });
  afterAll(() => rig?.close());
  return async (more) => ({ rig, owner, midoffice: await rig.midoffice(URL, more) });
}

/** A delivery with an attempt in flight. */
export async function beginOne(open: NewQueueTest) {
  const { rig, owner, midoffice } = await open();
  const [id] = (await rig.accept(midoffice, ['order'])) as [string];
  const due = (await owner.begin({ [midoffice.id]: 1 })) as [Due];
  expect(due).toHaveLength(1);
  return { rig, owner, midoffice, id, due };
}

export function seqOf(id: string): number {
  return deliverySeq(id) as number;
}

/** Which of the deliveries these are, by their index in `ids`. */
export function indexesIn(ids: readonly string[], due: readonly Due[]): number[] {
  return due.map(({ seq }) => ids.map(seqOf).indexOf(seq)).sort((a, b) => a - b);
}

/** Begins everything that can begin; returns their indexes in `ids`. */
export async function beginAll(
  owner: QueueOwner,
  { id }: TestMidoffice,
  ids: readonly string[],
): Promise<number[]> {
  return indexesIn(ids, await owner.begin({ [id]: 20 }));
}

export function orders(due: readonly Due[]): string[] {
  return due.map((one) => one.partner_order_id);
}

export async function pendingRow(
  { store }: Pick<Rig, 'store'>,
  id: string,
): Promise<Selectable<PendingRow> | undefined> {
  return store.db.selectFrom('pending').selectAll().where('seq', '=', seqOf(id)).executeTakeFirst();
}

/** For each delivery, whether it is parked behind another of its order. */
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

/** The whole content of the queue, for comparison. */
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
