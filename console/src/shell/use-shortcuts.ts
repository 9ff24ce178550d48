/** Single keys that work anywhere on the page, unless someone is typing or a dialog is open. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { useEnvironment } from '../app/environment.tsx';

/** How long "g" waits for the key that says where to. */
const GO_MS = 1_500;

/** The second key after "g", and the page that it leads to. */
export const destinations = [
  ['o', 'overview', 'Overview'],
  ['d', 'deliveries', 'Deliveries'],
  ['p', 'partners', 'Partners'],
  ['k', 'keys', 'Keys'],
  ['c', 'calls', 'Calls'],
  ['m', 'midoffices', 'Midoffices'],
  ['n', 'notices', 'Notices'],
  ['a', 'audit', 'Audit'],
] as const;

export function isShortcut(event: KeyboardEvent): boolean {
  const { target } = event;
  const isTyping =
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return false;
  return document.querySelector('[role="dialog"]') === null;
}

/** The key that people know from other tools. It types nothing, so it works inside fields too. */
export function isSearchKey(event: KeyboardEvent): boolean {
  const isHeld = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  return isHeld && event.key === 'k' && document.querySelector('[role="dialog"]') === null;
}

export function useShortcuts(openHelp: () => void): void {
  const { links } = useEnvironment();
  const navigate = useNavigate();
  const help = useEffectEvent(openHelp);
  const go = useEffectEvent((key: string) => {
    const page = destinations.find(([one]) => one === key)?.[1];
    if (page === 'deliveries') void navigate(links.deliveries());
    else if (page === 'audit') void navigate(links.audit());
    else if (page === 'calls') void navigate(links.calls());
    else if (page === 'notices') void navigate(links.notices());
    else if (page) void navigate(links[page]);
  });
  useEffect(() => {
    let goingUntilMs = 0;
    function onKey(event: KeyboardEvent) {
      if (!isShortcut(event)) return;
      if (event.key === '?') {
        event.preventDefault();
        help();
      } else if (Date.now() < goingUntilMs) {
        goingUntilMs = 0;
        go(event.key);
      } else if (event.key === 'g') goingUntilMs = Date.now() + GO_MS;
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
