/** What the title of the window says after the title of the page: which environment this is, and whose pages. */
import { createContext, useContext } from 'react';

const SiteContext = createContext('Bellhop');
export const SiteProvider = SiteContext.Provider;

export function useSite(): string {
  return useContext(SiteContext);
}
