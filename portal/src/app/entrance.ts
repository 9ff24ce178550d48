import { createContext, useContext } from 'react';
import type { Entrance } from '../api/types.ts';

const EntranceContext = createContext<Entrance | undefined>(undefined);
export const EntranceProvider = EntranceContext.Provider;

/** Whose portal this is, which environments it has, and how people can sign in to each. */
export function useEntrance(): Entrance {
  const entrance = useContext(EntranceContext);
  if (!entrance) throw new Error('This part needs to know whose portal it is.');
  return entrance;
}
