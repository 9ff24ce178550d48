/** What a new key gets of each endpoint. */
import { defaultGrant } from '../../../../server/src/base/catalogue.ts';
import type { Grant } from '../../api/types.ts';

/** Every endpoint of a grant is in the catalogue, which the server and this page share. */
export function defaultOf({ endpoint }: Pick<Grant, 'endpoint'>): Grant {
  return defaultGrant(endpoint);
}

const limitFields = ['is_limited', 'requests_number', 'seconds_number'] as const;
const fields = [...limitFields, 'is_active', 'is_debug_mode'] as const;

export function hasDefaultLimit(grant: Grant): boolean {
  return areEqual(grant, defaultOf(grant), limitFields);
}

export function isDefault(grant: Grant): boolean {
  return isSame(grant, defaultOf(grant));
}

export function isSame(one: Grant, other: Grant): boolean {
  return areEqual(one, other, fields);
}

function areEqual(one: Grant, other: Grant, fields: readonly (keyof Grant)[]): boolean {
  return fields.every((field) => one[field] === other[field]);
}
