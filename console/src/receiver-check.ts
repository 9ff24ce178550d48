/** Asks the server's own guard about a URL while it is typed. */
import { useEffect, useState } from 'react';
import { useDesk } from './desk.tsx';
import { asProblem } from './problem.ts';

const PAUSE_MS = 400;

export type Verdict =
  | { kind: 'none' }
  | { kind: 'checking' }
  | { kind: 'good'; url: string }
  | { kind: 'bad'; detail: string };

export function useReceiverCheck(url: string): Verdict {
  const { api } = useDesk();
  const [verdict, setVerdict] = useState<Verdict>({ kind: 'none' });
  useEffect(() => {
    const typed = url.trim();
    if (!typed) {
      setVerdict({ kind: 'none' });
      return;
    }
    setVerdict({ kind: 'checking' });
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const check = await api.midoffices.checkReceiver(typed, stop.signal);
        setVerdict(
          check.ok ? { kind: 'good', url: check.url } : { kind: 'bad', detail: check.detail },
        );
      } catch (error) {
        if (!stop.signal.aborted) setVerdict({ kind: 'bad', detail: asProblem(error).message });
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [url, api]);
  return verdict;
}
