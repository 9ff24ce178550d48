/**
 * A case: everything that Bellhop knows of one order, or of one call that was refused or failed, in the order of time.
 * Nothing is stored for it. It is put together from the records when somebody asks, a bounded number of each kind, so
 * that a busy partner's case costs no more than a few pages of lists.
 *
 *     id → what it leads to → its span of time → items of each kind → in order
 */
import type { Static } from 'typebox';
import { deliveryId, deliverySeq } from '../../delivery/orders/order-event.ts';
import { type Call, judgingFor, type ReadBySupport } from '../calls/calls.ts';
import { Delivery } from '../deliveries/deliveries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, words } from '../forms.ts';
import { findPartner } from '../partners/partner.ts';
import { EXAMPLE_OWN_ID, fromOwnId, toOwnId } from '../portal/delivery-ids.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import { findCase, type OrderFound, type Reader } from './find-case.ts';
import { CaseItem, type Items } from './item.ts';
import { itemsOfCall, itemsOfOrder } from './items.ts';

const { id, event_id, type, state, accepted_at } = Delivery.properties;
const deliveries = Type.Array(reply('CaseDelivery', { id, event_id, type, state, accepted_at }), {
  description: 'Of the order, the newest first.',
});

const subject = {
  kind: words(['order', 'call'], { title: 'CaseSubjectKind' }),
  id: like(story.order, 'The order id, or the request id of the call.'),
  partner_id: orNull(like(story.partnerId)),
  partner_name: orNull(like(story.partner)),
  deliveries,
  other_cases: Type.Array(Type.String(), {
    description: 'Orders of other partners with the same id, each by the id of a delivery.',
  }),
};

const shape = {
  subject: reply('CaseSubject', subject),
  items: Type.Array(CaseItem, { description: 'The oldest first.' }),
  is_complete: Type.Boolean({
    description:
      'False if there is more of some kind than a case shows; then the oldest are left out.',
  }),
};

export const Case = reply('Case', shape);
export type Case = Static<typeof Case>;

const { other_cases, ...ownSubject } = subject;
const ownId = like(EXAMPLE_OWN_ID, 'Yours alone, as in `listDeliveries`.');
/** Without what is of other partners. */
export const OwnCase = reply('Case', {
  ...shape,
  subject: reply('CaseSubject', {
    ...ownSubject,
    deliveries: Type.Array(
      reply('CaseDelivery', { id: ownId, event_id, type, state, accepted_at }),
    ),
  }),
});

/** For support, by any id. */
export async function getCase(support: ReadBySupport, id: string): Promise<Case> {
  const { environment } = support;
  return showCase(id, {
    environment,
    judging: judgingFor(support),
    ownPartnerId: undefined,
    toId: (one) => one,
    seqOf: (one) => deliverySeq(fromOwnId(environment.vault, one) ?? one),
  });
}

/** For a partner: what belongs to another one is answered as what does not exist. */
export async function getOwnCase(
  environment: SupportEnvironment,
  partnerId: string,
  id: string,
): Promise<Case> {
  const { vault, store } = environment;
  return showCase(id, {
    environment,
    judging: { db: store.db, reader: 'partner' },
    ownPartnerId: partnerId,
    toId: (one) => toOwnId(vault, one),
    seqOf: (one) => deliverySeq(fromOwnId(vault, one) ?? ''),
  });
}

async function showCase(typed: string, reader: Reader): Promise<Case> {
  const found = await findCase(typed, reader);
  if (!found) throw new Problem('case_not_found');
  return 'order' in found ? caseOfOrder(found.order, reader) : caseOfCall(found.call, reader);
}

async function caseOfOrder(order: OrderFound, reader: Reader): Promise<Case> {
  const partner = await findPartner(reader.environment.store.db, order.partnerId);
  const { items, isComplete } = await itemsOfOrder(order, partner, reader);
  return {
    subject: {
      kind: 'order',
      id: order.orderId,
      partner_id: partner.id,
      partner_name: partner.name,
      deliveries: order.deliveries.map(({ seq, event_id, type, state, accepted_at }) => ({
        id: reader.toId(deliveryId(seq)),
        event_id,
        type,
        state,
        accepted_at: new Date(accepted_at).toISOString(),
      })),
      other_cases: order.others,
    },
    ...inOrder(items),
    is_complete: isComplete && !order.hasMore,
  };
}

async function caseOfCall(call: Call, reader: Reader): Promise<Case> {
  const { request_id, partner_id } = call;
  const { db } = reader.environment.store;
  const partner = partner_id === null ? undefined : await findPartner(db, partner_id);
  const { items, isComplete } = await itemsOfCall(call, partner, reader);
  return {
    subject: {
      kind: 'call',
      id: request_id,
      partner_id,
      partner_name: partner?.name ?? null,
      deliveries: [],
      other_cases: [],
    },
    ...inOrder(items),
    is_complete: isComplete,
  };
}

/** At the same moment, in the order in which they were found: an event is accepted before it is routed. */
function inOrder(items: Items['items']): Pick<Case, 'items'> {
  const sorted = items.toSorted((a, b) => a.atMs - b.atMs);
  return {
    items: sorted.map(({ atMs, ...item }) => ({
      ...NOTHING,
      ...item,
      at: new Date(atMs).toISOString(),
    })),
  };
}

const NOTHING = {
  subject: null,
  by: null,
  request_id: null,
  attempt: null,
  url: null,
  status_code: null,
  answer: null,
};
