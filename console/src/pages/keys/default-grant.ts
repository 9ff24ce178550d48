/** What a new key gets of each endpoint. */
import { catalogue } from '../../../../server/src/catalogue.ts';
import type { Grant } from '../../api/types.ts';

const defaults = new Map(
  catalogue.map(({ endpoint, isLimited, requestsNumber, secondsNumber }) => {
    const grant: Grant = {
      endpoint,
      is_active: true,
      is_debug_mode: false,
      is_limited: isLimited,
      requests_number: requestsNumber,
      seconds_number: secondsNumber,
    };
    return [endpoint, grant];
  }),
);

/** Every endpoint of a grant is in the catalogue, which the server and this page share. */
export function defaultOf({ endpoint }: Pick<Grant, 'endpoint'>): Grant {
  const grant = defaults.get(endpoint);
  if (!grant) throw new Error(`no such endpoint: ${endpoint}`);
  return grant;
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
