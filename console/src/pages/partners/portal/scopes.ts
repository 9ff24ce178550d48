/** What people may do in the portal, as support chooses it. */
import { portalScopes } from '../../../../../server/src/base/config/portal-scopes.ts';
import type { PortalScope } from '../../../api/types.ts';

interface Words {
  /** In lists. */
  short: string;
  meaning: string;
}

export const scopeWords: Record<PortalScope, Words> = {
  read: { short: 'read', meaning: 'See keys, limits, refused calls and webhooks' },
  redeliver: { short: 'send again', meaning: 'Send webhooks again, send test events' },
  receiver: {
    short: 'receiver',
    meaning: 'Change where and how webhooks are sent, check the receiver',
  },
  keys: { short: 'keys', meaning: 'Rotate keys, change labels and allowed addresses' },
  contacts: { short: 'contacts', meaning: 'Change who gets notices' },
};

/** In the order of the list. `read` is always among them. */
export const chosenScopes = (isChosen: (scope: PortalScope) => boolean): PortalScope[] =>
  portalScopes.filter((scope) => scope === 'read' || isChosen(scope));

export function scopesInWords(scopes: readonly PortalScope[]): string {
  return scopes.map((scope) => scopeWords[scope]?.short ?? scope).join(', ');
}
