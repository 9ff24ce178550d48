/**
 * What every page of one environment works with: who is signed in, the environment's API and its
 * addresses. A page never sees the other environment.
 */
import { createContext, useContext } from 'react';
import type { Api } from './api.ts';
import type { Environment, Session } from './model.ts';
import type { Places } from './places.ts';

export interface Desk {
  session: Session;
  environment: Environment;
  api: Api;
  places: Places;
  /** Whether this person may change things; the server decides, the page only hides. */
  mayChange: boolean;
  mayManageTokens: boolean;
}

const DeskContext = createContext<Desk | undefined>(undefined);
export const DeskProvider = DeskContext.Provider;

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('This part belongs on a page of an environment.');
  return desk;
}
