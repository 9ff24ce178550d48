import type { Static } from 'typebox';
import { findDeliveries } from '../../store/queue/list.ts';
import type { Found, QueueVerbs, Retried } from '../../store/queue/verbs.ts';
import type { Database } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { input, reason, reply, words } from '../forms.ts';
import { changeInBatches } from '../in-batches.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import { DeliveryFilter, MOST_IN_BULK, pagesOfDeliveries, searchOf } from './list-deliveries.ts';
import { firstOrders } from './queries.ts';
import { nameSent, sentDeliveries } from './sent.ts';
import { withMidoffices } from './sent-again.ts';

export const BulkChange = input('BulkChange', {
  action: words(['retry', 'cancel', 'acknowledge'], { title: 'BulkAction' }),
  filter: DeliveryFilter,
  expected: Type.Integer({
    minimum: 0,
    maximum: MOST_IN_BULK,
    description:
      'How many deliveries the filter finds. If it finds another number, nothing changes.',
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_IN_BULK,
      description: 'Change at most this many of them, the oldest first.',
    }),
  ),
  reason: Type.Optional(reason),
});

export const BulkChanged = reply('BulkChanged', {
  changed: Type.Integer({
    description:
      'Less than `expected` if some of them were settled meanwhile, cannot be cancelled because they are settled, cannot be acknowledged because they are not exhausted, or cannot be sent because they and their partner have no midoffice.',
  }),
  ...sentDeliveries,
});

/**
 * Retries, cancels or acknowledges everything that a filter finds. Which deliveries these are is decided once: if there are not
 * as many as expected, nothing is changed. They are then changed in batches, the oldest first. One that no longer
 * matches the filter at its turn is left alone; so is one without a midoffice, and a settled one on a cancel.
 */
export async function changeDeliveries(
  { store }: SupportEnvironment,
  actor: string,
  { action, filter, expected, limit, reason }: Static<typeof BulkChange>,
): Promise<Static<typeof BulkChanged>> {
  const search = searchOf(filter, '/filter/');
  const found = await findAll(store.db, search);
  if (found.length !== expected) {
    throw new Problem(
      'count_changed',
      `The filter finds ${found.length} deliveries now, not ${expected}. Nothing was changed. Look at the list again, then repeat the request with the new number.`,
    );
  }
  const seqs = found.slice(0, limit);
  const named = nameSent(limit);
  const orders = await firstOrders(store.db, seqs);
  const changed = await changeInBatches(store, actor, {
    action: `deliveries.${action}`,
    subject: 'deliveries',
    seqs,
    async find(batch) {
      const still = await findDeliveries(store.db, { ...search, seqs: batch }, batch.length);
      const sendable = action === 'retry' ? await withMidoffices(store.db, still) : [];
      return { still, sendable };
    },
    change: (queue, found) => apply(action, queue, found),
    after: (changed) => ({
      filter: readable(filter),
      expected,
      changed,
      orders,
      ...(reason !== undefined && { reason }),
    }),
    named: action === 'retry' ? named : undefined,
  });
  return { changed, ...named.reply() };
}

function apply(
  action: Static<typeof BulkChange>['action'],
  queue: QueueVerbs,
  { still, sendable }: { still: readonly Found[]; sendable: readonly Retried[] },
): Promise<number[]> {
  switch (action) {
    case 'cancel':
      return queue.cancelMany(still);
    case 'acknowledge':
      return queue.acknowledge(still.map(({ seq }) => seq));
    case 'retry':
      return queue.retryMany(sendable);
  }
}

async function findAll(db: Database, search: ReturnType<typeof searchOf>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const page of pagesOfDeliveries(db, search)) {
    for (const { seq } of page) seqs.push(seq);
  }
  if (seqs.length > MOST_IN_BULK) throw new Problem('too_many_deliveries');
  return seqs.sort((a, b) => a - b);
}

/** Of a selection, the audit names the number and the first few. */
const IDS_SHOWN = 20;

function readable({ ids, ...filter }: DeliveryFilter): object {
  if (!ids) return filter;
  return { ...filter, ids: ids.slice(0, IDS_SHOWN), selected: ids.length };
}
