/** Servers under test, each a process of its own, and what they use. */
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { processEnv } from '../kit/bellhop.ts';
import { startProcess } from '../kit/process.ts';
import type { Session } from './bench.ts';
import { cpuMicrosOf } from './cpu-time.ts';

const PATIENCE_MS = 15_000;

export interface Started {
  /** What followed `ready` on its stdout. */
  ready: string;
  process: ChildProcess;
  /** From its start to the line `ready`. */
  startMs: number;
  /** An orderly end. */
  stop(): Promise<unknown>;
  /** SIGKILL, as a crash would; resolves when it is gone. */
  kill(): Promise<unknown>;
  /** Both are NaN without /proc. */
  cpuMs(): Promise<number>;
  memoryMb(): Promise<number>;
}

/** Runs a script on the same Node until the session ends; resolves at its line `ready …`. Its path begins at the repository. */
export async function startNode(
  session: Session,
  script: string,
  args: string[],
  options: { env?: Record<string, string>; nodeArgs?: string[] } = {},
): Promise<Started> {
  const file = resolve(import.meta.dirname, '..', script);
  const startedMs = performance.now();
  const { child, line, end } = startProcess(
    [process.execPath, ...(options.nodeArgs ?? []), file, ...args],
    // Logs go to /dev/null: they are formatted and written as usual, but nobody reads them.
    { env: { ...processEnv, ...options.env }, stderr: 'ignore' },
  );
  const stop = () => end('SIGTERM', PATIENCE_MS);
  session.undo(stop);
  const ready = (await line(/^ready /)).slice('ready '.length);
  return {
    ready,
    startMs: performance.now() - startedMs,
    process: child,
    stop,
    kill: () => end('SIGKILL'),
    cpuMs: async () => (await cpuMicrosOf(child.pid)) / 1_000,
    memoryMb: () => memoryMb(child),
  };
}

async function memoryMb({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}
