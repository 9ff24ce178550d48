/**
 * The keys that work anywhere on the page. One table says what each does: `useShortcuts` handles them and "?" shows them.
 * None works while someone is typing, or while a dialog or a menu is open; those with Ctrl, or ⌘, type nothing, so they
 * also work in fields.
 */
import { useEffect, useEffectEvent } from 'react';
import { moveInRows } from '../ui/lists/rows.ts';
import { words } from '../words/words.ts';
import type { Place } from './Navigation.tsx';

/** How long the first of two keys waits for the second. */
const SECOND_KEY_MS = 1_500;
/** Where the keys are somebody else's. */
const TAKEN = '[role="dialog"], [role="menu"]';
const TYPING = 'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"])';

export interface Shortcut {
  /** Pressed one after the other. */
  keys: readonly string[];
  does: string;
  /** Left out where the browser, or what has the focus, does it. */
  run?: () => void;
}

interface Acts {
  go(place: Place): void;
  search(): void;
  help(): void;
}

/** In the order in which "?" shows them. */
export function shortcutsOf(places: readonly Place[], { go, search, help }: Acts): Shortcut[] {
  const { does } = words.keyboard;
  return [
    { keys: ['/'], does: does.search, run: search },
    { keys: ['Ctrl-K'], does: does.searchAnywhere, run: search },
    { keys: ['j'], does: does.nextRow, run: () => moveInRows(1) },
    { keys: ['k'], does: does.rowBefore, run: () => moveInRows(-1) },
    { keys: ['Enter'], does: does.openRow },
    ...places.map((place) => ({
      keys: ['g', place.letter],
      does: does.goTo(place.title),
      run: () => go(place),
    })),
    { keys: ['?'], does: does.help, run: help },
    { keys: ['Tab'], does: does.tab },
    { keys: ['Esc'], does: does.close },
  ];
}

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const find = useEffectEvent((pressed: readonly string[]) =>
    shortcuts.find(({ keys, run }) => run && keys.join(' ') === pressed.join(' ')),
  );
  useEffect(() => {
    let first: string | undefined;
    let firstUntilMs = 0;
    function onKey(event: KeyboardEvent) {
      const key = keyOf(event);
      if (key === undefined) return;
      const isSecond = first !== undefined && Date.now() < firstUntilMs;
      const found = (isSecond && find([first ?? '', key])) || find([key]);
      first = found ? undefined : key;
      firstUntilMs = Date.now() + SECOND_KEY_MS;
      if (!found) return;
      event.preventDefault();
      found.run?.();
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** As the table has it; undefined if the key is not meant for the page. */
function keyOf(event: KeyboardEvent): string | undefined {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (event.defaultPrevented || event.isComposing || altKey) return undefined;
  if (document.querySelector(TAKEN)) return undefined;
  if (ctrlKey || metaKey) return shiftKey ? undefined : `Ctrl-${key.toUpperCase()}`;
  return target instanceof Element && target.closest(TYPING) ? undefined : key;
}
