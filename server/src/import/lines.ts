/**
 * The format of imports and exports: NDJSON, one record per line, in any order. Records refer to each other by `ref`,
 * which is the sender's own. A field that a line leaves out keeps its value, or gets its default in a new record.
 */
import type { BodyForm } from '@bellhop/partner';
import type { Grant } from '../grants.ts';

/**
 * Version 1 is what a file without a header has. A change that an older Bellhop would misread gets a new number; a
 * file with a number that this Bellhop does not know is refused.
 */
export const FORMAT_VERSION = 1;
export const HEADER_KIND = 'bellhop-export';

/** May be the first line. */
export interface HeaderLine {
  kind: typeof HEADER_KIND;
  version: number;
  /** A file of the other environment is refused. */
  environment?: string;
  exported_at?: string;
  api_keys?: boolean;
}

export interface PartnerLine {
  kind: 'partner';
  ref: string;
  /** The id in Bellhop. A new partner keeps it, so that order events can go on using it. */
  id?: string;
  name?: string;
  integration_started_on?: string;
  is_new?: boolean;
  suspended?: boolean;
  certified_at?: string | null;
  certification_reference?: string | null;
  /** Null takes the midoffice away. */
  midoffice_ref?: string | null;
}

export interface KeyLine {
  kind: 'key';
  /** The key id if not given. */
  ref?: string;
  key_id: string;
  partner_ref?: string;
  api_key?: string;
  /** Those that still work after a rotation, the newest first. */
  previous_api_keys?: { api_key: string; valid_until: string }[];
  label?: string | null;
  expires_at?: string | null;
  allowed_ips?: string[] | null;
  disabled?: boolean;
  revoked_at?: string | null;
  /** All that the key may call. Without it, a new key gets the whole catalogue. */
  endpoints?: string[];
}

export interface GrantLine extends Partial<Grant> {
  kind: 'grant';
  ref?: string;
  key_ref: string;
  endpoint: string;
  /** In production, for a limit above the catalogue's or what the key last had. An export has none. */
  approval_reference?: string;
}

export interface MidofficeLine {
  kind: 'midoffice';
  ref: string;
  id?: string;
  name?: string;
  url?: string;
  signing_key_ref?: string;
  body_form?: BodyForm;
  delivery_order?: 'any' | 'per_order';
  max_in_flight?: number;
  paused?: boolean;
}

export const recordKinds = ['partner', 'key', 'grant', 'midoffice'] as const;
export type RecordKind = (typeof recordKinds)[number];
export type LineKind = RecordKind | typeof HEADER_KIND;
export type Line = HeaderLine | PartnerLine | KeyLine | GrantLine | MidofficeLine;

/** Checks the form of a line; no errors means that it has the type of its kind. */
export type CheckLine = (
  kind: LineKind,
  value: object,
) => readonly { field: string; detail: string }[];
