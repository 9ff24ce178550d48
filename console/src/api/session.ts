/** Who is signed in. The server knows by the cookie; null means that nobody is. */
import { call } from './client.ts';
import { Problem } from './problem.ts';
import { SESSION_KEY } from './session-cache.ts';
import type { Session } from './types.ts';

export const sessionQuery = {
  queryKey: SESSION_KEY,
  // A 401 of any other call ends it, so it is read only once.
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Session | null> => {
    try {
      return await call('getSession', {}, signal);
    } catch (error) {
      if (error instanceof Problem && isConfirmedSilently(error)) return new Promise(() => {});
      if (error instanceof Problem && error.status === 401) return null;
      throw error;
    }
  },
};

/**
 * The provider must confirm the person again, and can do so without asking them: the browser goes there and comes back
 * to this page. It stays on the sign-in page, where it arrives if the provider wants to ask something.
 */
export function isConfirmedSilently({ code }: Problem): boolean {
  const { pathname, search } = location;
  if (code !== 'reauthentication_required' || pathname === '/sign-in') return false;
  const query = new URLSearchParams({ return_to: pathname + search, prompt: 'none' });
  location.assign(`/console/oidc/sign-in?${query}`);
  return true;
}
