/**
 * Whether the server answers. One failed call proves little, so a failure is checked with a call of the
 * lightest kind. If that fails too, the connection counts as lost until such a call succeeds; meanwhile the
 * page shows one banner instead of an error at everything that it cannot read.
 */
import { useSyncExternalStore } from 'react';

const PROBE_EVERY_MS = 2_000;
const PROBE_TIMEOUT_MS = 5_000;

/** When it was lost, in milliseconds. */
let lostAtMs: number | undefined;
let probing: Promise<void> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export function noteAnswer(): void {
  clearTimeout(timer);
  if (lostAtMs !== undefined) set(undefined);
}

export function noteSilence(): void {
  void probe();
}

/** Asks now; of several calls at once, one asks. */
export function probe(): Promise<void> {
  probing ??= ask().finally(() => {
    probing = undefined;
  });
  return probing;
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const reply = await fetch('/health/live', { cache: 'no-store', signal });
    if (isGatewayAlone(reply)) throw new Error('Only a proxy answered.');
    noteAnswer();
  } catch {
    set(lostAtMs ?? Date.now());
    timer = setTimeout(() => void probe(), PROBE_EVERY_MS);
  }
}

/** A proxy in front of a server that is stopped: its reply is not one of ours. */
export function isGatewayAlone({ status, headers }: Response): boolean {
  const isOurs = headers.get('content-type')?.startsWith('application/problem+json');
  return !isOurs && (status === 502 || status === 503 || status === 504);
}

function set(next: number | undefined): void {
  if (next === lostAtMs) return;
  lostAtMs = next;
  for (const listener of listeners) listener();
}

/** Calls `listener` whenever the connection is lost or found; returns how to stop that. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function connectionLostAt(): number | undefined {
  return lostAtMs;
}

/** When the connection was lost; undefined while it stands. */
export function useConnectionLost(): number | undefined {
  return useSyncExternalStore(onConnection, connectionLostAt);
}

/** Loads a part of the console. If the server is away, it waits for it instead of failing. */
export async function whenReachable<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      await probe();
      // The server answers, so this part is gone: a newer version of the console was installed.
      if (lostAtMs === undefined) throw error;
      await found();
    }
  }
}

function found(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onConnection(() => {
      if (lostAtMs !== undefined) return;
      stop();
      resolve();
    });
  });
}
