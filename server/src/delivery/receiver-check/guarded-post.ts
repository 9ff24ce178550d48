/** Posts what the receiver check sends with the client of deliveries, and its guard. */
import type { Post } from '@bellhop/partner/receiver-check';
import { VERSION } from '../../base/version.ts';
import type { ClientIdentity } from '../../receiver/client-certificate.ts';
import { textsOf } from '../../receiver/failure-codes.ts';
import { createPoster, type Guard, type PosterOptions } from '../../receiver/post.ts';

export function createGuardedPost(
  options: Pick<PosterOptions, 'allow' | 'proxy'>,
  identity?: ClientIdentity,
): Post {
  return async ({ url, headers, body, timeoutMs, signal }) => {
    // One for each request, because a poster keeps its connections.
    const poster = createPoster({ ...options, timeoutMs, userAgent: `Bellhop/${VERSION}` });
    const guard: Guard = { isWanted: () => !signal?.aborted };
    const breakOff = () => guard.breakOff?.();
    signal?.addEventListener('abort', breakOff);
    try {
      const outcome = await poster.post(url, headers, body, { guard, identity });
      if (outcome.kind === 'answered') return outcome;
      return { ...outcome, fix: textsOf(outcome.code)?.fix };
    } finally {
      signal?.removeEventListener('abort', breakOff);
      await poster.close();
    }
  };
}
