import Type, { type Static } from 'typebox';
import type { SupportEnvironment } from '../environment.ts';
import { orNull, reply, time } from '../forms.ts';
import { listGrants } from './grants.ts';

export const Usage = reply('Usage', {
  endpoint: Type.String(),
  is_limited: Type.Boolean(),
  requests_number: Type.Integer(),
  seconds_number: Type.Integer(),
  used: Type.Integer(),
  remaining: orNull(Type.Integer()),
  resets_at: orNull(time),
});

/** How much of each limit a key has used. Reading the usage does not count as a call. */
export async function readUsage(
  environment: SupportEnvironment,
  keyId: string,
): Promise<Static<typeof Usage>[]> {
  const { limiter, clock } = environment;
  const grants = await listGrants(environment, keyId);
  return Promise.all(
    grants.map(async ({ endpoint, is_limited, requests_number, seconds_number }) => {
      const limit = { endpoint, is_limited, requests_number, seconds_number };
      // Calls to an endpoint without a limit are not counted.
      if (!is_limited) return { ...limit, used: 0, remaining: null, resets_at: null };
      const window = { requests: requests_number, seconds: seconds_number };
      const { remaining, resetInMs } = await limiter.standing(keyId, endpoint, window);
      return {
        ...limit,
        used: requests_number - remaining,
        remaining,
        resets_at:
          resetInMs > 0 ? new Date(clock.now() + Math.ceil(resetInMs)).toISOString() : null,
      };
    }),
  );
}
