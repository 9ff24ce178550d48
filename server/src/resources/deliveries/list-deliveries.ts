/** Finds deliveries by a filter: lists and counts them, and reads all of them in pages. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Static } from 'typebox';
import { deliveryId, deliverySeq } from '../../delivery/orders/order-event.ts';
import { deliveryStates } from '../../delivery/states.ts';
import { type DeliverySearch, remaining } from '../../store/queue/delivery-search.ts';
import { statusClasses } from '../../store/queue/last-result.ts';
import { type FoundState, findDeliveries, findStates } from '../../store/queue/list.ts';
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { filter, givenTime, input, orNull, pageQueryWith, query, reply, words } from '../forms.ts';
import {
  badCursor,
  DEFAULT_PAGE,
  decodeText,
  encodeText,
  type Page,
  type PageRequest,
} from '../page.ts';
import { invalidField, readTime } from '../problem.ts';
import { Type } from '../type.ts';
import { AttemptFailure } from './attempts.ts';
import { type Delivery, DeliveryState, EventType, showDelivery } from './deliveries.ts';

/** Counting them takes a second or two, and changing them a few minutes. */
export const MOST_IN_BULK = 1_000_000;

const MOST_SELECTED = 1_000;

const filterFields = {
  state: Type.Optional(DeliveryState),
  only: Type.Optional(
    words(remaining, {
      title: 'RemainingDeliveries',
      description:
        '`undelivered`: in any state but `delivered`. `unacknowledged`: exhausted, and nobody has recovered or acknowledged it.',
    }),
  ),
  midoffice_id: like(story.midofficeId, filter()),
  partner_id: like(story.partnerId, filter()),
  partner_order_id: like(story.order, filter('The whole order id.', 0, 256)),
  partner_order_id_prefix: like(
    'BK-0004',
    filter(
      'The beginning of the order id. The list is then in descending order of the ids.',
      1,
      256,
    ),
  ),
  type: Type.Optional(EventType),
  failure_code: Type.Optional({ ...AttemptFailure, description: 'Why the last attempt failed.' }),
  status_class: Type.Optional(
    words(statusClasses, {
      title: 'StatusClass',
      description:
        'How the receiver answered the last attempt. A reply that was never finished counts as `no_answer`.',
    }),
  ),
  since: Type.Optional(givenTime()),
  until: Type.Optional(givenTime()),
};

/** Those of the portal have 36 characters. */
const MOST_LISTED = 100;

export const deliveryQuery = query({
  ...pageQueryWith('cursor-of-deliveries'),
  ...filterFields,
  ids: like(
    story.deliveryId,
    filter(
      `Only these deliveries: at most ${MOST_LISTED} ids, with commas between them.`,
      0,
      40 * MOST_LISTED,
    ),
  ),
});

/** What the address asks for. */
export function filterOf({
  ids,
  ...asked
}: Static<typeof deliveryQuery>): DeliveryFilter & PageRequest {
  const listed = ids?.split(',');
  if (listed && listed.length > MOST_LISTED) {
    throw invalidField('ids', `must be at most ${MOST_LISTED} ids`);
  }
  return { ...asked, ...(listed && { ids: listed }) };
}

export const deliveryCountQuery = query({
  ...filterFields,
  up_to: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_IN_BULK,
      default: MOST_IN_BULK,
      description: 'Counting ends there. A small number bounds what the count costs.',
    }),
  ),
});

export const DeliveryFilter = input('DeliveryFilter', {
  ...filterFields,
  // Null as in `NewKey.endpoints`.
  ids: Type.Optional(
    like(
      [story.deliveryId],
      orNull(
        Type.Array(Type.String({ maxLength: 20, format: 'delivery-id' }), {
          minItems: 1,
          maxItems: MOST_SELECTED,
          description: 'Only these deliveries; all if not given or null.',
        }),
      ),
    ),
  ),
});
export type DeliveryFilter = Static<typeof DeliveryFilter>;

export const DeliveryCount = reply('DeliveryCount', {
  count: Type.Integer(),
  by_state: Type.Object(ofEachState(Type.Integer())),
  has_more: Type.Boolean({
    description: 'Whether there are more than `up_to`, at which the count ends.',
  }),
});

function ofEachState<T>(value: T) {
  const entries = deliveryStates.map((state) => [state, value]);
  return Object.fromEntries(entries) as Record<(typeof deliveryStates)[number], T>;
}

/** `path` leads to the filter's fields, for errors. */
export function searchOf(
  { since, until, ids, ...same }: DeliveryFilter,
  path = '',
): DeliverySearch {
  return {
    ...same,
    sinceMs: since === undefined ? undefined : readTime(since, `${path}since`),
    untilMs: until === undefined ? undefined : readTime(until, `${path}until`),
    // An id that none can have matches nothing.
    seqs: ids?.flatMap((id) => deliverySeq(id) ?? []),
  };
}

/**
 * Newest first; with the beginning of an order id, in descending order of the ids. Every filter has an index in
 * that order, so every page costs the same.
 */
export async function listDeliveries(
  environment: SupportEnvironment,
  { limit = DEFAULT_PAGE, cursor, ...filter }: DeliveryFilter & PageRequest,
): Promise<Page<Delivery>> {
  const isByOrderId = filter.partner_order_id_prefix !== undefined;
  const search = { ...searchOf(filter), ...readCursor(cursor, isByOrderId) };
  const found = await findDeliveries(environment.store.db, search, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map((one) => showDelivery(environment, one)),
    next_cursor: found.length > limit && last ? writeCursor(last, isByOrderId) : null,
  };
}

function writeCursor({ seq, partner_order_id }: FoundDelivery, isByOrderId: boolean): string {
  if (!isByOrderId) return deliveryId(seq);
  return `${deliveryId(seq)}.${encodeText(partner_order_id)}`;
}

function readCursor(cursor: string | undefined, isByOrderId: boolean) {
  if (cursor === undefined) return {};
  const [id = '', order, ...more] = cursor.split('.');
  const beforeSeq = deliverySeq(id);
  if (beforeSeq === undefined || more.length > 0 || isByOrderId !== (order !== undefined)) {
    throw badCursor();
  }
  if (order === undefined) return { beforeSeq };
  return { beforeSeq, beforeOrderId: decodeText(order) };
}

export async function countDeliveries(
  { store }: SupportEnvironment,
  filter: DeliveryFilter,
  most = MOST_IN_BULK,
): Promise<Static<typeof DeliveryCount>> {
  const by_state = ofEachState(0);
  let count = 0;
  for await (const page of pagesOfDeliveries(store.db, searchOf(filter), most)) {
    for (const { state } of page) {
      if (count === most) return { count, by_state, has_more: true };
      by_state[state]++;
      count++;
    }
  }
  return { count, by_state, has_more: false };
}

/** Turning so many rows of an answer into objects takes some milliseconds of the thread that delivers, too. */
const READ_AT_ONCE = 1_000;

/**
 * Everything that a search finds, in pages, so that nothing else has to wait for it. Ends after one more than `most`.
 */
export async function* pagesOfDeliveries(
  db: Database,
  search: DeliverySearch,
  most = MOST_IN_BULK,
): AsyncGenerator<FoundState[]> {
  let position = {};
  for (let found = 0; found <= most; ) {
    const limit = Math.min(READ_AT_ONCE, most + 1 - found);
    const page = await findStates(db, { ...search, ...position }, limit);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.length < limit) return;
    found += page.length;
    position = {
      beforeSeq: last.seq,
      ...(search.partner_order_id_prefix !== undefined && { beforeOrderId: last.partner_order_id }),
    };
    await nextTurn();
  }
}
