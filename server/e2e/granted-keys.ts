/** Keys whose grants a test changes through the support API. */
import type { TestBellhop } from '../testing/bellhop.ts';

export const HP = 'api/b2b/v3/search/hp/';
export const OVERVIEW = 'api/b2b/v3/overview/';

/** The catalogue's limit: 10 in 60 s. */
export const DEFAULT_HP = {
  endpoint: HP,
  is_active: true,
  is_debug_mode: false,
  is_limited: true,
  requests_number: 10,
  seconds_number: 60,
};

export const SECONDS_WARNING = {
  code: 'seconds_exceed_requests',
  detail: 'seconds_number (60) should not exceed requests_number (10).',
};

type Environment = 'production' | 'sandbox';

export async function keyWithGrants(bellhop: TestBellhop, environment: Environment, key = {}) {
  const { keyId, partnerId, authorization } = await bellhop.newKey(environment, key);
  const path = `/support/v1/${environment}/keys/${keyId}/endpoints`;
  return {
    keyId,
    partnerId,
    authorization,
    put: (grant: object) => bellhop.support('PUT', path, grant),
    remove: (endpoint: string) =>
      bellhop.support('DELETE', `${path}?endpoint=${encodeURIComponent(endpoint)}`),
    async of(endpoint: string) {
      const { body } = await bellhop.support('GET', path);
      return body.items.find((grant: { endpoint: string }) => grant.endpoint === endpoint);
    },
    certify: () =>
      bellhop.support('POST', `/support/v1/${environment}/partners/${partnerId}/certification`, {
        reference: 'CERT-1',
      }),
  };
}
