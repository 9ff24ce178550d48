import type { KeyLookup, StoredKey } from '../../partner-api/keys.ts';
import type { Queries } from './prompt-queries.ts';

const FIND = `
  select k.key_id as "keyId", k.partner_id as "partnerId", k.digest,
         k.previous_digest as "previousDigest", k.previous_until as "previousUntil",
         k.earlier_keys as "earlierKeys",
         k.allowed_ips as "allowedIps", k.disabled, p.suspended,
         k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.grant_set as "grantSet"
    from api_key k join partner p on p.id = k.partner_id
   where k.key_id = $1`;

export function postgresKeyLookup(queries: Queries): KeyLookup {
  return {
    async find(keyId) {
      // PostgreSQL refuses NUL in text, and no key id contains it.
      const values = [keyId.includes('\0') ? '' : keyId];
      const { rows } = await queries.query<StoredKey>({ name: 'find key', text: FIND, values });
      return rows[0];
    },
    async grants(id) {
      const { rows } = await queries.query<{ grants: string }>({
        name: 'grants',
        text: 'select grants from grant_set where id = $1',
        values: [id],
      });
      if (!rows[0]) throw new Error(`grant set ${id} is missing`);
      return rows[0].grants;
    },
  };
}
