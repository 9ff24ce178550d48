/**
 * What lists are sorted by, exactly as their indexes spell it: another spelling would sort the whole table.
 * list-plans.test.ts checks it.
 */
import { sql } from 'kysely';

/** Ignores the case of letters; on the embedded engine only of ASCII letters. */
export const NAME = sql<string>`lower(name)`;

/** Keys that never expire come after all others. */
export const EXPIRY = sql<number>`coalesce(expires_at, ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`;
