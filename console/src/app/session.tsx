import { createContext, useContext } from 'react';
import type { Session } from '../api/types.ts';

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

/** Who is signed in; only on pages that need it. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This part needs someone to be signed in.');
  return session;
}
