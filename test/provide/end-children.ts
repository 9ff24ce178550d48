/**
 * A process of vitest that is ended by a signal runs no clean-up of its tests, and a Bellhop survives the process that
 * started it, because that is what a server must do. So this ends everything that the tests have started, together
 * with what that has started: npm, for example, starts a shell that starts a server.
 */
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** It ends by itself, after it has ended its server and removed its folder. */
const KEEPER = fileURLToPath(new URL('../../kit/keeper.ts', import.meta.url));

/** Call it before the first process is started. */
export function endChildrenOnSignals(): void {
  const children = new Set<ChildProcess>();
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess };
    children.add(child);
    child.once('exit', () => children.delete(child));
  });
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      const kept = [...children].filter(({ spawnargs }) => !spawnargs.includes(KEEPER));
      killTrees(kept.flatMap(({ pid }) => pid ?? []));
      process.kill(process.pid, signal);
    });
  }
}

/** Stopped first, so that none can start another one meanwhile. */
function killTrees(roots: readonly number[]): void {
  const family = new Set(roots);
  for (const pid of family) {
    send(pid, 'SIGSTOP');
    for (const child of childrenOf(pid)) family.add(child);
  }
  for (const pid of family) send(pid, 'SIGKILL');
}

/** Only Linux tells. */
function childrenOf(parent: number): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    // The name before it, in brackets, may contain anything.
    return Number(/.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
