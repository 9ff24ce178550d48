/** What a session of the portal may do. `read` is in all of them; the others are what support may do as well. */
export const portalScopes = ['read', 'redeliver', 'receiver', 'keys', 'contacts'] as const;
export type PortalScope = (typeof portalScopes)[number];
