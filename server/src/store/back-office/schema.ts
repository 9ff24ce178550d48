/** The back office's tables, on both engines. The conventions are those of ../schema.ts. */
import type { Kysely } from 'kysely';
import type { AuditRow } from '../schema.ts';

/** The back office's database, or a transaction on it. Only store/ builds queries on it. */
export type BackOfficeDatabase = Kysely<BackOfficeSchema>;

export interface BackOfficeSchema {
  token: TokenRow;
  session: SessionRow;
  /** Changes to tokens. Every environment's audit shows them. */
  audit: AuditRow;
}

export interface TokenRow {
  id: string;
  name: string;
  role: 'viewer' | 'support' | 'admin' | 'orders';
  digest: string;
  created_at: number;
  revoked_at: number | null;
}

/** A browser that is signed in to the console. */
export interface SessionRow {
  /** Digest of the random id in the cookie. */
  digest: string;
  /** Digest of the token that opened it. The session ends when that token is replaced or deleted. */
  token_digest: string;
  created_at: number;
  /** Accurate to a minute. */
  used_at: number;
}
