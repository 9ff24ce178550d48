/** How many calls a change would refuse, by a dry run of it. */
import type { DryRun } from '@bellhop/support-client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { EnvironmentDryRun } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { useDebounced } from '../../api/use-debounced.ts';
import { problemOf } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';

/** A limit is typed digit by digit. */
const PAUSE_MS = 300;
/** From then on, the dialog says that nobody has to wait for the number. */
const LATE_MS = 3_000;

export interface Effects {
  lastHour: number;
  lastDay: number;
  keys: number;
}

export interface CountedEffects {
  effects: Effects | undefined;
  problem: Problem | undefined;
  isLate: boolean;
}

/** `what` tells one change from another. All that it consists of count together. */
export function useEffects(
  what: string,
  dryRuns: readonly ((dryRun: EnvironmentDryRun, signal: AbortSignal) => Promise<DryRun>)[],
): CountedEffects {
  const { dryRun, environment } = useEnvironment();
  const asked = useDebounced(what, PAUSE_MS);
  const isSettled = asked === what;
  const query = useQuery({
    queryKey: [environment, 'effects of a change', asked],
    queryFn: async ({ signal }) => {
      const sum = { lastHour: 0, lastDay: 0, keys: 0 };
      // One after another: each of them locks the key.
      for (const run of dryRuns) {
        const { effects } = await run(dryRun, signal);
        sum.lastHour += effects.calls_last_hour;
        sum.lastDay += effects.calls_last_day;
        sum.keys = Math.max(sum.keys, effects.keys);
      }
      return sum;
    },
    enabled: isSettled,
    gcTime: 0,
    // Not even when the change is made: then nothing more would be refused, and the dialog is still open.
    staleTime: 'static',
  });
  const isCounting = !isSettled || (query.data === undefined && problemOf(query) === undefined);
  return {
    effects: isSettled ? query.data : undefined,
    problem: isSettled ? problemOf(query) : undefined,
    isLate: useLasting(isCounting, asked),
  };
}

function useLasting(isTrue: boolean, since: string): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isTrue) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [isTrue, since]);
  return isTrue && isLate;
}
