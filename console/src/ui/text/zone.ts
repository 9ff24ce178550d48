/** The time zone that times are shown and typed in: the viewer's own, or UTC. The browser keeps the choice. */
import { useSyncExternalStore } from 'react';
import { keepChoice, readChoice } from '../../app/kept-choice.ts';

export type Zone = 'local' | 'utc';

let zone: Zone = readChoice('zone') === 'utc' ? 'utc' : 'local';
const listeners = new Set<() => void>();

export function chosenZone(): Zone {
  return zone;
}

export function chooseZone(next: Zone): void {
  zone = next;
  keepChoice('zone', next === 'utc' ? 'utc' : null);
  for (const listener of listeners) listener();
}

export function useZone(): Zone {
  return useSyncExternalStore(subscribe, chosenZone);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function localZoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** "UTC", or the viewer's zone with its offset now: "Europe/Berlin (UTC+1)". */
export function zoneName(): string {
  if (zone === 'utc') return 'UTC';
  const name = localZoneName();
  return name === 'UTC' ? name : `${name} (${offsetOf(new Date())})`;
}

function offsetOf(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const sign = minutes < 0 ? '−' : '+';
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${sign}${hours}${rest ? `:${String(rest).padStart(2, '0')}` : ''}`;
}
