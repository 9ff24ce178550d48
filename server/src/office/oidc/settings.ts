import type { Config } from '../../base/config/config.ts';
import type { PersonRole } from '../../base/config/values.ts';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Undefined for a public client, which only PKCE protects. */
  clientSecret: string | undefined;
  scopes: string;
  rolesClaim: string;
  /** Values of the claim, and the role that each gives. */
  roleMap: ReadonlyMap<string, PersonRole>;
  signOutAtProvider: boolean;
}

/** Undefined if people sign in with tokens only. */
export function oidcSettingsOf(config: Config): OidcSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined) return undefined;
  const { oidcScopes: scopes, oidcRolesClaim: rolesClaim, oidcRoleMap: roleMap } = config;
  const signOutAtProvider = config.oidcSignOut === 'provider';
  return { issuer, clientId, clientSecret, scopes, rolesClaim, roleMap, signOutAtProvider };
}
