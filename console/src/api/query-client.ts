/**
 * The cache of everything read from the server. Every key of an environment's data starts with the
 * environment's name, so the two never mix.
 *
 * A query that fails because the server cannot be reached is retried with growing pauses until it
 * answers, but not while the page is hidden. A refusal (4xx) is final.
 */
import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { noteChanged } from './polling.ts';
import type { Problem } from './problem.ts';
import { forgetSession, isSessionKey } from './session-cache.ts';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Problem;
  }
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

// Within the same task, so that a button is disabled before a second click can reach it.
notifyManager.setScheduler(queueMicrotask);

/** `isSettled` says that a refusal is taken care of elsewhere, and does not end the session. */
export function createQueryClient(isSettled: (problem: Problem) => boolean): QueryClient {
  const endSession = (problem: Problem) => {
    if (isSettled(problem)) return;
    if (problem.status === 401) forgetSession(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: endSession }),
    mutationCache: new MutationCache({
      onError: endSession,
      // A change can affect lists, names, counts and the audit. Everything on the page is read again
      // before the mutation counts as done.
      onSuccess: () => {
        noteChanged();
        return client.invalidateQueries({ predicate: ({ queryKey }) => !isSessionKey(queryKey) });
      },
    }),
    defaultOptions: {
      queries: {
        // The back office may be reachable without the internet.
        networkMode: 'always',
        retry: (_count, problem) => isTransient(problem),
        retryDelay: (count) => Math.min(FIRST_PAUSE_MS * 2 ** count, LONGEST_PAUSE_MS),
      },
      mutations: {
        networkMode: 'always',
        // A result may contain a secret that is shown once, so none is kept.
        gcTime: 0,
      },
    },
  });
  return client;
}

/** Whether a retry can help: the server is unreachable, overloaded or starting. */
function isTransient({ status, code }: Problem): boolean {
  return code === 'unreachable' || status === 408 || status === 429 || status >= 500;
}
