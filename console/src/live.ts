/**
 * Reading from the API and keeping it fresh: polls at a calm pace, slows down while the server does
 * not answer, and rests while nobody looks at the page.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { asProblem, type Problem } from './problem.ts';

const SLOWEST_MS = 60_000;

export interface Reading<T> {
  data: T | undefined;
  /** The last failure; `data` may still hold what was read before it. */
  problem: Problem | undefined;
  readAt: number | undefined;
  /** Resolves once the fresh data is shown. */
  reload(): Promise<void>;
  /** Shows what a change has just returned, without waiting for the next reading. */
  show(data: T): void;
}

interface State<T> {
  data: T | undefined;
  problem: Problem | undefined;
  readAt: number | undefined;
}

/**
 * `name` says what is read: when it changes, what was read before is dropped. Without `everyMs` it
 * reads once.
 */
export function useReading<T>(name: string, read: () => Promise<T>, everyMs?: number): Reading<T> {
  const [state, setState] = useState<State<T> & { name: string }>({ ...nothing(), name });
  const current = useRef(read);
  current.current = read;
  const turn = useRef(0);

  const load = useCallback(async (): Promise<Problem | undefined> => {
    turn.current += 1;
    const mine = turn.current;
    try {
      const data = await current.current();
      if (mine === turn.current) setState({ name, data, problem: undefined, readAt: Date.now() });
      return undefined;
    } catch (error) {
      const problem = asProblem(error);
      if (mine === turn.current) {
        setState(
          (was) => ({ ...(was.name === name ? was : nothing()), name, problem }) as typeof was,
        );
      }
      return problem;
    }
  }, [name]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    let waitMs = everyMs ?? 0;
    let rounds = 0;

    async function round() {
      rounds += 1;
      const mine = rounds;
      const problem = await load();
      // Looking at the page again begins a new round; only the newest one goes on.
      if (mine !== rounds) return;
      // What is not there, or not for this person, will not come by asking again.
      const isFinal = problem?.status === 404 || problem?.status === 403;
      if (ended || everyMs === undefined || isFinal) return;
      waitMs = problem ? Math.min(waitMs * 2, SLOWEST_MS) : everyMs;
      if (!document.hidden) timer = setTimeout(round, waitMs);
    }
    function look() {
      clearTimeout(timer);
      if (!document.hidden) void round();
    }
    void round();
    if (everyMs !== undefined) document.addEventListener('visibilitychange', look);
    return () => {
      ended = true;
      turn.current += 1;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [load, everyMs]);

  const reload = useCallback(async () => void (await load()), [load]);
  const show = useCallback(
    (data: T) => {
      turn.current += 1;
      setState({ name, data, problem: undefined, readAt: Date.now() });
    },
    [name],
  );
  const shown = state.name === name ? state : nothing<T>();
  return { data: shown.data, problem: shown.problem, readAt: shown.readAt, reload, show };
}

function nothing<T>(): State<T> {
  return { data: undefined, problem: undefined, readAt: undefined };
}
