/** The webhooks of a partner's own orders, as its view has them. */
import Type, { type Static } from 'typebox';
import { retryDelivery } from '../resources/deliveries/change-delivery.ts';
import { type Delivery, findDelivery, getDelivery } from '../resources/deliveries/deliveries.ts';
import {
  countDeliveries,
  deliveryCountQuery,
  deliveryQuery,
  listDeliveries,
} from '../resources/deliveries/list-deliveries.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { query, reply } from '../resources/forms.ts';
import { checkOwn } from '../resources/midoffices/signing-key.ts';
import type { Page } from '../resources/page.ts';
import { takeTurnFirst } from '../resources/portal/pace.ts';
import { Problem } from '../resources/problem.ts';
import { type OwnDelivery, withoutForeignKeys } from './own-attempts.ts';

/** The first page counts every few seconds, so it must not cost more than a page of a list. */
const MOST_COUNTED = 1_000;

export const ownDeliveryQuery = query(ownFilters(deliveryQuery.properties));
export const ownDeliveryCountQuery = query(ownFilters(deliveryCountQuery.properties));

export const OwnDeliveryCount = reply('OwnDeliveryCount', {
  count: Type.Integer(),
  has_more: Type.Boolean({
    description: `Whether there are more than ${MOST_COUNTED}, at which the count ends.`,
  }),
});

export interface OwnDeliveries {
  list(asked: Static<typeof ownDeliveryQuery>): Promise<Page<Delivery>>;
  count(asked: Static<typeof ownDeliveryCountQuery>): Promise<Static<typeof OwnDeliveryCount>>;
  get(id: string): Promise<Static<typeof OwnDelivery>>;
  retry(id: string): Promise<Delivery>;
}

export function ownDeliveries(
  environment: SupportEnvironment,
  { partnerId, actor }: { partnerId: string; actor: string },
): OwnDeliveries {
  /** The same single look-up for a delivery of another partner and for none. Orders never change hands. */
  async function own(id: string): Promise<string> {
    const found = await findDelivery(environment.store.db, id);
    if (found.partner_id !== partnerId) throw new Problem('delivery_not_found');
    return id;
  }
  return {
    list: (asked) => listDeliveries(environment, { ...asked, partner_id: partnerId }),
    async count(asked) {
      const filter = { ...asked, partner_id: partnerId };
      const { count, has_more } = await countDeliveries(environment, filter, MOST_COUNTED);
      return { count, has_more };
    },
    async get(id) {
      const delivery = await getDelivery(environment, await own(id));
      const attempts = await withoutForeignKeys(environment, partnerId, delivery.attempts);
      return { ...delivery, attempts };
    },
    async retry(id) {
      await own(id);
      await takeTurnFirst(environment, partnerId, 'redeliver');
      return retryDelivery(environment, actor, id, (db, midofficeId) =>
        checkOwn(db, partnerId, midofficeId),
      );
    },
  };
}

/** The partner is the session's, and its midoffice is its own. */
function ownFilters<T extends { partner_id: unknown; midoffice_id: unknown }>({
  partner_id,
  midoffice_id,
  ...filters
}: T): Omit<T, 'partner_id' | 'midoffice_id'> {
  return filters;
}
