/** The webhooks of a partner's own orders, as its view has them. */
import type { Static } from 'typebox';
import type { Vault } from '../base/sealing/vault.ts';
import { retryDelivery } from '../resources/deliveries/change-delivery.ts';
import { type Delivery, findDelivery, getDelivery } from '../resources/deliveries/deliveries.ts';
import {
  countDeliveries,
  deliveryCountQuery,
  deliveryQuery,
  filterOf,
  listDeliveries,
} from '../resources/deliveries/list-deliveries.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { pageQueryWith, query, reply, Type } from '../resources/forms.ts';
import { checkOwn } from '../resources/midoffices/signing-key.ts';
import type { Page } from '../resources/page.ts';
import { fromOwnId, toOwnId } from '../resources/portal/delivery-ids.ts';
import { takeTurnFirst } from '../resources/portal/pace.ts';
import { Problem } from '../resources/problem.ts';
import { type OwnDelivery, withoutForeignKeys } from './own-attempts.ts';

/** The first page counts every few seconds, so it must not cost more than a page of a list. */
const MOST_COUNTED = 1_000;

export const ownDeliveryQuery = query({
  ...ownFilters(deliveryQuery.properties),
  ...pageQueryWith('cursor-of-own-deliveries'),
});
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
  const { vault } = environment;
  /** Support's id. The same answer for a delivery of another partner and for none. Orders never change hands. */
  async function own(ownId: string): Promise<string> {
    const id = fromOwnId(vault, ownId) ?? '';
    const found = await findDelivery(environment.store.db, id);
    if (found.partner_id !== partnerId) throw new Problem('delivery_not_found');
    return id;
  }
  const show = <D extends Pick<Delivery, 'id'>>(one: D): D => ({
    ...one,
    id: toOwnId(vault, one.id),
  });
  return {
    async list({ cursor, ...asked }) {
      const { ids, ...filter } = filterOf(asked);
      const request = {
        ...filter,
        ...(ids && { ids: ids.map((id) => fromOwnId(vault, id) ?? '') }),
        partner_id: partnerId,
        cursor: fromOwnCursor(vault, cursor),
      };
      const { items, next_cursor } = await listDeliveries(environment, request);
      return { items: items.map(show), next_cursor: toOwnCursor(vault, next_cursor) };
    },
    async count(asked) {
      const filter = { ...asked, partner_id: partnerId };
      const { count, has_more } = await countDeliveries(environment, filter, MOST_COUNTED);
      return { count, has_more };
    },
    async get(id) {
      const delivery = await getDelivery(environment, await own(id));
      const attempts = await withoutForeignKeys(environment, partnerId, delivery.attempts);
      return { ...show(delivery), attempts };
    },
    async retry(ownId) {
      const id = await own(ownId);
      await takeTurnFirst(environment, partnerId, 'redeliver');
      const retried = await retryDelivery(environment, actor, id, (db, midofficeId) =>
        checkOwn(db, partnerId, midofficeId),
      );
      return show(retried);
    },
  };
}

/** A cursor begins with the id of a delivery, and may have the order behind a dot. */
function toOwnCursor(vault: Vault, cursor: string | null): string | null {
  return cursor === null ? null : cursor.replace(/^[^.]*/, (id) => toOwnId(vault, id));
}

function fromOwnCursor(vault: Vault, cursor: string | undefined): string | undefined {
  return cursor?.replace(/^[^.]*/, (ownId) => fromOwnId(vault, ownId) ?? '');
}

/** The partner is the session's, and its midoffice is its own. */
function ownFilters<T extends { partner_id: unknown; midoffice_id: unknown }>({
  partner_id,
  midoffice_id,
  ...filters
}: T): Omit<T, 'partner_id' | 'midoffice_id'> {
  return filters;
}
