/** Where the cache keeps who is signed in. Everything else in it belongs to that session. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';

export const SESSION_KEY = ['session'];

export function isSessionKey(key: QueryKey): boolean {
  return key[0] === SESSION_KEY[0];
}

export function rememberSession(client: QueryClient, signedIn: object): void {
  client.setQueryData(SESSION_KEY, signedIn);
}

/** Leads to the sign-in page, and drops everything that was read. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(SESSION_KEY, null);
  client.removeQueries({ predicate: ({ queryKey }) => !isSessionKey(queryKey) });
}
