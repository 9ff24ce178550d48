/** Doing something by the API: busy while it runs, and the problem if it was refused. */
import { useCallback, useRef, useState } from 'react';
import { asProblem, type Problem } from './problem.ts';

export interface Action<Args extends unknown[]> {
  busy: boolean;
  problem: Problem | undefined;
  /** Resolves to whether it was done. A second call while one runs is ignored. */
  run(...args: Args): Promise<boolean>;
  clear(): void;
}

export function useAction<Args extends unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): Action<Args> {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const current = useRef(act);
  current.current = act;
  const running = useRef(false);

  const run = useCallback(async (...args: Args) => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      await current.current(...args);
      return true;
    } catch (error) {
      setProblem(asProblem(error));
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  const clear = useCallback(() => setProblem(undefined), []);
  return { busy, problem, run, clear };
}
