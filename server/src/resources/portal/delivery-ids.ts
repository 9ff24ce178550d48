/**
 * Ids of deliveries as partners see them. Support's are numbers in the order of acceptance, so two of them would tell a
 * partner how many webhooks all partners get. Master keys in force reveal them, so a link lasts as long as its master key.
 */
import { HIDDEN_NUMBER } from '../../base/hidden-numbers.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import { deliveryId, deliverySeq } from '../../delivery/orders/order-event.ts';

const PREFIX = 'del_';
/** As a pattern, for a place in another one. */
export const OWN_DELIVERY_ID = `${PREFIX}${HIDDEN_NUMBER}`;

export const EXAMPLE_OWN_ID = 'del_8d1f0c52b7e94a6630f2a95c1be7d048';

/** Of support's id. What is not the id of a delivery stays as it is. */
export function toOwnId(vault: Vault, id: string): string {
  const seq = deliverySeq(id);
  return seq === undefined ? id : PREFIX + vault.hideNumber(seq);
}

/** Support's id; undefined if it is not the id of any delivery. */
export function fromOwnId(vault: Vault, ownId: string): string | undefined {
  if (!ownId.startsWith(PREFIX)) return undefined;
  const seq = vault.revealNumber(ownId.slice(PREFIX.length));
  return seq === undefined ? undefined : deliveryId(seq);
}
