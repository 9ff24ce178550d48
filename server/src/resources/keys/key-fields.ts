/** Checks the fields of a key that a schema cannot check, and converts them for the store. */
import { parseCidr } from '../../addresses/addresses.ts';
import { cataloguePosition } from '../../catalogue.ts';
import { invalidField } from '../input.ts';

export function readAllowedIps(list: readonly string[] | null | undefined): string | null {
  if (list === null || list === undefined) return null;
  for (const [index, text] of list.entries()) {
    if (!parseCidr(text)) {
      throw invalidField(`/allowed_ips/${index}`, `must be an address or a CIDR, not "${text}"`);
    }
  }
  return JSON.stringify(list);
}

/** Returns the catalogue's spelling. Accepts a leading slash, and a missing trailing one. */
export function readEndpoint(text: string, field: string): string {
  const endpoint = `${text.replace(/^\//, '').replace(/\/$/, '')}/`;
  if (cataloguePosition(endpoint) === undefined) {
    throw invalidField(
      field,
      `must be one of the 43 endpoints, such as api/b2b/v3/search/hp/, not "${text}"`,
    );
  }
  return endpoint;
}
