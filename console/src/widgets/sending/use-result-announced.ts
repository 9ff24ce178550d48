/** Says how each attempt of the delivery on the page ended. */
import { useEffect, useRef } from 'react';
import { announce } from '../../ui/page/announce.ts';
import { words } from '../../words/words.ts';
import { resultInWords } from '../failure-words.ts';
import type { Followed } from './outcome.ts';

export function useResultAnnounced(delivery: Followed | undefined): void {
  const before = useRef<Pick<Followed, 'id' | 'state' | 'attempts_made'>>(undefined);
  useEffect(() => {
    if (!delivery) return;
    const { id, state, attempts_made } = delivery;
    const was = before.current;
    before.current = { id, state, attempts_made };
    if (was?.id !== id) return;
    const { delivered, exhausted, failed } = words.sending.announced;
    if (was.state !== state && state === 'delivered') announce(delivered);
    else if (was.attempts_made === attempts_made) return;
    else if (state === 'pending' || state === 'cancelled')
      announce(failed(attempts_made, resultInWords(delivery)), 'bad');
    else if (state !== 'delivered') announce(exhausted(resultInWords(delivery)), 'bad');
  }, [delivery]);
}
