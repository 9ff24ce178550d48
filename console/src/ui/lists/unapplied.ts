/** Whether a filter of the list holds text that the list does not show yet. */
import { createContext, useContext, useEffect, useId } from 'react';

type Report = (filter: string, isUnapplied: boolean) => void;

const UnappliedContext = createContext<Report>(() => {});
export const UnappliedProvider = UnappliedContext.Provider;

/** For a filter: tells the page of its list. */
export function useUnapplied(isUnapplied: boolean): void {
  const report = useContext(UnappliedContext);
  const id = useId();
  useEffect(() => {
    report(id, isUnapplied);
    return () => report(id, false);
  }, [report, id, isUnapplied]);
}
