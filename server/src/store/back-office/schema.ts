/** The tables of the back office, as both engines have them; conventions as in ../schema.ts. */
import type { AuditRow } from '../schema.ts';

export interface BackOfficeSchema {
  token: TokenRow;
  session: SessionRow;
  /** The changes of tokens. Every environment's audit shows them. */
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
  /** Of the random id in the cookie. */
  digest: string;
  /** Of the token that it was opened with; when that is replaced or deleted, the session ends. */
  token_digest: string;
  created_at: number;
  /** To within a minute. */
  used_at: number;
}
