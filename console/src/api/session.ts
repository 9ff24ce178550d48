/** Who is signed in. The server knows by the cookie; null means that nobody is. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { call } from './client.ts';
import { Problem } from './problem.ts';
import type { Session } from './types.ts';

const SESSION_KEY = ['session'];

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

export function isSessionKey(key: QueryKey): boolean {
  return key[0] === SESSION_KEY[0];
}

export function rememberSession(client: QueryClient, signedIn: Session): void {
  client.setQueryData(SESSION_KEY, signedIn);
}

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

/** Leads to the sign-in page, and drops everything that was read. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(SESSION_KEY, null);
  client.removeQueries({ predicate: ({ queryKey }) => !isSessionKey(queryKey) });
}
