import type { Static } from 'typebox';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time } from '../forms.ts';
import { Type } from '../type.ts';
import { Grant } from './grant.ts';
import { listGrants } from './grants.ts';

export const Usage = reply('Usage', {
  endpoint: like(story.endpoint),
  is_limited: Type.Boolean(),
  requests_number: like(story.requests, Type.Integer()),
  seconds_number: like(story.seconds, Type.Integer()),
  used: like(3, Type.Integer()),
  remaining: orNull(Type.Integer()),
  resets_at: orNull(time),
});

/** A grant as the overview shows it, and how much of it is used. */
export const Limit = reply('Limit', {
  ...Grant.properties,
  used: like(3, Type.Integer()),
  remaining: orNull(Type.Integer({ description: 'Null if the endpoint has no limit.' })),
  resets_at: orNull(
    Type.String({
      format: 'date-time',
      description:
        'When the next call is free if none is left, otherwise when the oldest counted call leaves the window; null if none counts.',
    }),
  ),
});

/** The numbers that are enforced. Reading them does not count as a call. */
export async function readLimits(
  environment: SupportEnvironment,
  keyId: string,
): Promise<Static<typeof Limit>[]> {
  const { limiter, clock } = environment;
  const grants = await listGrants(environment, keyId);
  const windows = grants
    .filter(({ is_limited }) => is_limited)
    .map(({ endpoint, requests_number: requests, seconds_number: seconds }) => ({
      endpoint,
      window: { requests, seconds },
    }));
  const standings = await limiter.standings(keyId, windows);
  const byEndpoint = new Map(windows.map(({ endpoint }, index) => [endpoint, standings[index]]));
  return grants.map((grant) => {
    const standing = byEndpoint.get(grant.endpoint);
    // Calls to an endpoint without a limit are not counted.
    if (!standing) return { ...grant, used: 0, remaining: null, resets_at: null };
    const { remaining, resetInMs } = standing;
    return {
      ...grant,
      used: grant.requests_number - remaining,
      remaining,
      resets_at: resetInMs > 0 ? new Date(clock.now() + Math.ceil(resetInMs)).toISOString() : null,
    };
  });
}

/** The same without what the overview shows besides. */
export async function readUsage(
  environment: SupportEnvironment,
  keyId: string,
): Promise<Static<typeof Usage>[]> {
  const limits = await readLimits(environment, keyId);
  return limits.map(({ is_active, is_debug_mode, ...usage }) => usage);
}
