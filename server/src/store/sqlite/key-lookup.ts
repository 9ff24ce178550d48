import type { DatabaseSync } from 'node:sqlite';
import type { KeyLookup, StoredKey } from '../../partner-api/keys.ts';
import type { StorageHealth } from '../storage-health.ts';

export function sqliteKeyLookup(reader: DatabaseSync, health: StorageHealth): KeyLookup {
  const key = reader.prepare(`
    select k.key_id as "keyId", k.partner_id as "partnerId", k.digest,
           k.previous_digest as "previousDigest", k.previous_until as "previousUntil",
           k.earlier_keys as "earlierKeys",
           k.allowed_ips as "allowedIps", k.disabled, p.suspended,
           k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.grant_set as "grantSet"
      from api_key k join partner p on p.id = k.partner_id
     where k.key_id = ?`);
  const grants = reader.prepare('select grants from grant_set where id = ?');
  function noting<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      health.note(error);
      throw error;
    }
  }
  return {
    find: (keyId) => noting(() => key.get(keyId) as StoredKey | undefined),
    grants: (id) => noting(() => (grants.get(id) as { grants: string }).grants),
  };
}
