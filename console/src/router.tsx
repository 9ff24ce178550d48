/**
 * Client-side routes: the address is the state. A link is a real link (middle click and "copy
 * address" work); a plain click changes the address without loading the page again.
 */
import { type AnchorHTMLAttributes, type MouseEvent, useMemo, useSyncExternalStore } from 'react';

const CHANGED = 'bellhop:navigate';

export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  dispatchEvent(new Event(CHANGED));
}

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  addEventListener(CHANGED, listener);
  return () => {
    removeEventListener('popstate', listener);
    removeEventListener(CHANGED, listener);
  };
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}

function useSearch(): string {
  return useSyncExternalStore(subscribe, () => location.search);
}

/** The named query parameters, and a way to change some of them in place. */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const search = useSearch();
  return useMemo(() => {
    const params = new URLSearchParams(search);
    const filters: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const value = params.get(name);
      if (value) filters[name] = value;
    }
    function change(changes: Partial<Record<Name, string>>): void {
      const next = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries<string | undefined>(changes)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      const text = next.toString();
      navigate(location.pathname + (text && `?${text}`), { replace: true });
    }
    return { filters, change };
  }, [search, names]);
}

export function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean).map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string };

export function Link({ to, onClick, ...rest }: LinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    const plain =
      event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (event.defaultPrevented || !plain) return;
    event.preventDefault();
    navigate(to);
  }
  return <a {...rest} href={to} onClick={follow} />;
}
