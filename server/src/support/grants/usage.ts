import type { Desk } from '../environment.ts';
import { listGrants } from './grants.ts';

export interface EndpointUsage {
  endpoint: string;
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
  used: number;
  remaining: number | null;
  resets_at: string | null;
}

/** Where a key stands with each of its endpoints; asking uses nothing up. */
export async function readUsage(desk: Desk, keyId: string): Promise<EndpointUsage[]> {
  const grants = await listGrants(desk, keyId);
  return Promise.all(
    grants.map(async ({ endpoint, is_limited, requests_number, seconds_number }) => {
      const limit = { endpoint, is_limited, requests_number, seconds_number };
      // Calls of an endpoint without a limit are not counted.
      if (!is_limited) return { ...limit, used: 0, remaining: null, resets_at: null };
      const window = { requests: requests_number, seconds: seconds_number };
      const { remaining, resetInMs } = await desk.limiter.standing(keyId, endpoint, window);
      return {
        ...limit,
        used: requests_number - remaining,
        remaining,
        resets_at:
          resetInMs > 0 ? new Date(desk.clock.now() + Math.ceil(resetInMs)).toISOString() : null,
      };
    }),
  );
}
