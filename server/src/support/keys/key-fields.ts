/** Checks the fields of a key that a schema cannot check, and converts them for the store. */
import { parseCidr } from '../../addresses/addresses.ts';
import { cataloguePosition } from '../../catalogue.ts';
import { Problem } from '../problem.ts';

export function readExpiry(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalid('/expires_at', 'must be a date and time in ISO 8601');
  return ms;
}

export function readAllowedIps(list: readonly string[] | null | undefined): string | null {
  if (list === null || list === undefined) return null;
  for (const [index, text] of list.entries()) {
    if (!parseCidr(text)) {
      throw invalid(`/allowed_ips/${index}`, `must be an address or a CIDR, not "${text}"`);
    }
  }
  return JSON.stringify(list);
}

/** Returns the catalogue's spelling. Accepts a leading slash, and a missing trailing one. */
export function readEndpoint(text: string, field: string): string {
  const endpoint = `${text.replace(/^\//, '').replace(/\/$/, '')}/`;
  if (cataloguePosition(endpoint) === undefined) {
    throw invalid(
      field,
      `must be one of the 43 endpoints, such as api/b2b/v3/search/hp/, not "${text}"`,
    );
  }
  return endpoint;
}

export function invalid(field: string, detail: string): Problem {
  return new Problem('validation_failed', `${field} ${detail}.`, [{ field, detail }]);
}
