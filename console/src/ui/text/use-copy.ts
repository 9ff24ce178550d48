import { useState } from 'react';
import { words } from '../../words/words.ts';
import { announce } from '../page/announce.ts';

const SHOWN_MS = 2_000;

/** Copies a text; `copied` is true for a moment, so that the button itself can say so. */
export function useCopy(): { copied: boolean; copy(text: string): Promise<void> } {
  const [copied, setCopied] = useState(false);
  return {
    copied,
    async copy(text) {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        announce(words.copying.refused, 'bad');
        return;
      }
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    },
  };
}
