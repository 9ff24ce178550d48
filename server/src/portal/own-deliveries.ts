/** The webhooks of a partner's own orders, as its view has them. */
import type { Static } from 'typebox';
import { retryDelivery } from '../resources/deliveries/change-delivery.ts';
import {
  type Delivery,
  type DeliveryWithAttempts,
  findDelivery,
  getDelivery,
} from '../resources/deliveries/deliveries.ts';
import { deliveryQuery, listDeliveries } from '../resources/deliveries/list-deliveries.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { query } from '../resources/forms.ts';
import type { Page } from '../resources/page.ts';
import { takeTurnFirst } from '../resources/portal/pace.ts';
import { Problem } from '../resources/problem.ts';

const { partner_id, midoffice_id, ...filters } = deliveryQuery.properties;
export const ownDeliveryQuery = query(filters);

export interface OwnDeliveries {
  list(asked: Static<typeof ownDeliveryQuery>): Promise<Page<Delivery>>;
  get(id: string): Promise<Static<typeof DeliveryWithAttempts>>;
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
    get: async (id) => getDelivery(environment, await own(id)),
    async retry(id) {
      await own(id);
      await takeTurnFirst(environment, partnerId, 'redeliver');
      return retryDelivery(environment, actor, id);
    },
  };
}
