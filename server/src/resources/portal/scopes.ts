import { type PortalScope, portalScopes } from '../../base/config/portal-scopes.ts';
import { words } from '../forms.ts';
import { Type } from '../type.ts';

export const Scope = words(portalScopes, {
  title: 'PortalScope',
  description:
    'What a session of the portal may do. `read`: see everything of the partner. `redeliver`: retry, recover, send what waits, send a test event. `receiver`: change where and how webhooks are sent, check the receiver. `keys`: rotate keys, change labels and allow-lists. `contacts`: change who gets notices.',
});

export const Scopes = Type.Array(Scope, { description: '`read` is always among them.' });

/** Nobody can do anything without reading. In the order of the list, each once. */
export function withRead(scopes: readonly PortalScope[]): PortalScope[] {
  return portalScopes.filter((scope) => scope === 'read' || scopes.includes(scope));
}

export function writeScopes(scopes: readonly PortalScope[]): string {
  return JSON.stringify(withRead(scopes));
}

/** As stored. A scope that this release does not know gives nothing. */
export function readScopes(stored: string): PortalScope[] {
  const given = JSON.parse(stored) as string[];
  return portalScopes.filter((scope) => given.includes(scope));
}
