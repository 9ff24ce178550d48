/** The back office's tables, on both engines. The conventions are those of ../schema.ts. */
import type { Kysely } from 'kysely';
import type { AuditRow } from '../schema.ts';

/** The back office's database, or a transaction on it. Only store/ builds queries on it. */
export type BackOfficeDatabase = Kysely<BackOfficeSchema>;

export interface BackOfficeSchema {
  token: TokenRow;
  session: SessionRow;
  person: PersonRow;
  /** Changes to tokens and people. Every environment's audit shows them. */
  audit: AuditRow;
}

export interface TokenRow {
  id: string;
  name: string;
  role: 'viewer' | 'support' | 'admin' | 'orders';
  digest: string;
  created_at: number;
  revoked_at: number | null;
  /** Null if the token never expires. */
  expires_at: number | null;
  /** Accurate to a minute; null if the token was never used. */
  last_used_at: number | null;
}

/** Someone who has signed in through OpenID Connect. */
export interface PersonRow {
  id: string;
  issuer: string;
  /** The issuer's id of the person, which never changes. */
  subject: string;
  name: string;
  email: string | null;
  /** As of the last sign-in; null if the person has no role any more. Another one ends all earlier sessions. */
  role: 'viewer' | 'support' | 'admin' | null;
  created_at: number;
  /** The last time. */
  signed_in_at: number;
}

/** A browser that is signed in to the console. */
export interface SessionRow {
  /** Digest of the random id in the cookie. */
  digest: string;
  /**
   * Digest of the token that opened it; empty if a person did. The session ends when that token expires, or is
   * replaced or deleted.
   */
  token_digest: string;
  /** Who opened it by signing in through OpenID Connect. */
  person_id: string | null;
  created_at: number;
  /** Accurate to a minute. */
  used_at: number;
  /** When the provider last said which role the person has. */
  confirmed_at: number;
  /** Nobody asks the provider again before this time. In the near future while someone is asking. */
  confirm_after: number;
  /** What that needs, sealed with the id in the cookie; null if a token opened the session. */
  sealed_tokens: string | null;
}
