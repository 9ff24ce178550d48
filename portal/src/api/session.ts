/**
 * Who is signed in, in each environment. The server knows by its cookies; null means that nobody is. Before anyone is,
 * the entrance says whose portal this is and how people can sign in.
 */
import type { QueryClient } from '@tanstack/react-query';
import { Problem } from '../../../console/src/api/problem.ts';
import { isSessionKey, SESSION_KEY } from '../../../console/src/api/session-cache.ts';
import { call } from './client.ts';
import type { Environment, Me } from './types.ts';

interface Context {
  signal: AbortSignal;
}

export const entranceQuery = {
  queryKey: [...SESSION_KEY, 'entrance'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }: Context) => call('getEntrance', {}, signal),
};

function keyOf(environment: Environment) {
  return [...SESSION_KEY, environment];
}

export function meQuery(environment: Environment) {
  return {
    queryKey: keyOf(environment),
    // A 401 of any other call ends it, so it is read only once.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }: Context): Promise<Me | null> => {
      try {
        return await call('getMe', { environment }, signal);
      } catch (error) {
        if (error instanceof Problem && error.status === 401) return null;
        throw error;
      }
    },
  };
}

export function rememberMe(client: QueryClient, me: Me): void {
  client.setQueryData(keyOf(me.environment), me);
  void client.invalidateQueries({ queryKey: entranceQuery.queryKey });
}

/** Leads to the sign-in page. */
export function forgetMe(client: QueryClient, environment: Environment): void {
  client.setQueryData(keyOf(environment), null);
  void client.invalidateQueries({ queryKey: entranceQuery.queryKey });
}

export function checkSessions(client: QueryClient): void {
  void client.invalidateQueries({ predicate: ({ queryKey }) => isSessionKey(queryKey) });
}
