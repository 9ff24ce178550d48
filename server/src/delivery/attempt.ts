/**
 * What is recorded of an attempt. Its fields have one spelling and one list: the settle statements of both engines
 * and the support API are made from `attemptColumns`, and the API's schema does not compile without each of them.
 */
import type { BodyForm } from '@bellhop/partner';
import type { AttemptFailure } from '../receiver/failure-codes.ts';

export const attemptOutcomes = ['delivered', 'failed'] as const;

export interface AttemptRecord {
  number: number;
  /** In milliseconds since 1970. */
  started_at: number;
  duration_ms: number;
  outcome: (typeof attemptOutcomes)[number];
  /** Also of a reply that was never finished, so a failed attempt can have 200. Null if none began. */
  status_code: number | null;
  reply_excerpt: string | null;
  /** A whole sentence; null when delivered. */
  error: string | null;
  /** Null when delivered. */
  failure_code: AttemptFailure | null;
  /** In seconds since 1970, as it is signed. */
  signature_timestamp: number;
  signature_token: string;
  /** As they were at the time: support is asked about this attempt, not about today's midoffice. */
  url: string;
  body_form: BodyForm;
  user_agent: string;
  key_id: string;
  /** Identifies the key value that signed the body; during a rotation there are two. */
  key_fingerprint: string;
}

/** With the type of each on PostgreSQL. */
export const attemptColumns = {
  number: 'int',
  started_at: 'bigint',
  duration_ms: 'int',
  outcome: 'text',
  status_code: 'int',
  reply_excerpt: 'text',
  error: 'text',
  failure_code: 'text',
  signature_timestamp: 'bigint',
  signature_token: 'text',
  url: 'text',
  body_form: 'text',
  user_agent: 'text',
  key_id: 'text',
  key_fingerprint: 'text',
} as const satisfies Record<keyof AttemptRecord, string>;

export const attemptFields = Object.keys(attemptColumns) as (keyof AttemptRecord)[];
