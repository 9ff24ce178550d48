/** Where the cache keeps who is signed in. Everything else in it belongs to that session. */
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

export const SESSION_KEY = ['session'];

export function isSessionKey(key: QueryKey): boolean {
  return key[0] === SESSION_KEY[0];
}

export function rememberSession(client: QueryClient, signedIn: object): void {
  client.setQueryData(SESSION_KEY, signedIn);
}

/** Leads to the sign-in page. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(SESSION_KEY, null);
}

/**
 * Drops what was read in a session that has ended, for whatever reason: the next person must not see it. An effect, because a
 * page that is still shown would read it again. What the sign-in page shows stays.
 */
export function useForgottenAfter(hasEnded: boolean, environment?: string): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!hasEnded) return;
    const isOfSession = (key: QueryKey) =>
      environment === undefined ? !isSessionKey(key) : key[0] === environment;
    client.removeQueries({ type: 'inactive', predicate: ({ queryKey }) => isOfSession(queryKey) });
  }, [client, hasEnded, environment]);
}
