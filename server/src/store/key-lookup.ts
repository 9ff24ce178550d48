/** The key that signs in, on each engine. A partner's call waits for it. */
import type { DatabaseSync } from 'node:sqlite';
import type { KeyLookup, StoredKey } from '../gateway/keys.ts';
import type { KeySnapshots } from './postgres/changes-over-redis.ts';
import type { Queries } from './postgres/prompt-queries.ts';
import type { StorageHealth } from './storage-health.ts';

const KEYS = `
  select k.key_id as "keyId", k.partner_id as "partnerId", k.digest,
         k.previous_digest as "previousDigest", k.previous_until as "previousUntil",
         k.earlier_keys as "earlierKeys",
         case when k.previous_digest is not null then k.sealed_key end as sealed,
         k.previous_sealed_key as "previousSealed",
         k.allowed_ips as "allowedIps", k.disabled, p.suspended,
         k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.grant_set as "grantSet"
    from api_key k join partner p on p.id = k.partner_id`;
const findKey = (id: '$1' | '?') => `${KEYS} where k.key_id = ${id}`;
const SNAPSHOTS = `
  with found as (${KEYS} where k.key_id = any($1))
  select (extract(epoch from statement_timestamp()) * 1000)::float8 as "readAtMs",
         (select coalesce(json_agg(found), '[]') from found) as keys,
         (select coalesce(json_object_agg(id, grants), '{}') from grant_set
           where id in (select "grantSet" from found)) as grants`;

/** The keys among these ids, which may be those of midoffices as well. */
export async function readSnapshots(
  queries: Queries,
  ids: readonly string[],
): Promise<KeySnapshots> {
  const { rows } = await queries.query<KeySnapshots>({ text: SNAPSHOTS, values: [ids] });
  return rows[0] as KeySnapshots;
}

export function postgresKeyLookup(queries: Queries): KeyLookup {
  const text = findKey('$1');
  return {
    async find(keyId) {
      // PostgreSQL refuses NUL in text, and no key id contains it.
      const values = [keyId.includes('\0') ? '' : keyId];
      const { rows } = await queries.query<StoredKey>({ name: 'find key', text, values });
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

export function sqliteKeyLookup(reader: DatabaseSync, health: StorageHealth): KeyLookup {
  const key = reader.prepare(findKey('?'));
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
