/** Servers under test, each a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Session } from './bench.ts';

const START_TIMEOUT_MS = 30_000;

export interface Started {
  /** What followed `ready` on its stdout. */
  ready: string;
  /** Everything that it printed before. */
  said: string[];
  process: ChildProcess;
  /** From its start to the line `ready`. */
  startMs: number;
  /** An orderly end. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would; resolves when it is gone. */
  kill(): Promise<void>;
  /** Undefined without /proc. */
  cpuMs(): Promise<number | undefined>;
  memoryMb(): Promise<number | undefined>;
}

/** Runs a script on the same Node until the session ends; resolves at its line `ready …`. */
export async function startNode(
  session: Session,
  script: string,
  args: string[],
  options: { env?: Record<string, string>; nodeArgs?: string[] } = {},
): Promise<Started> {
  const file = join(import.meta.dirname, '..', script);
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), file, ...args], {
    env: { ...withoutSettings(process.env), ...options.env },
    // Logs go to /dev/null: they are formatted and written as usual, but nobody reads them.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  session.undo(() => end(child));
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ready = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.startsWith('ready ')) resolve(line.slice('ready '.length));
      else said.push(line);
    });
    child.once('exit', () => reject(new Error(`${script} ended: ${said.join(' / ')}`)));
    setTimeout(() => reject(new Error(`${script} did not start`)), START_TIMEOUT_MS).unref();
  });
  return {
    ready: await ready,
    startMs: performance.now() - startedMs,
    said,
    process: child,
    stop: () => end(child),
    kill: () => kill(child),
    cpuMs: () => cpuMs(child),
    memoryMb: () => memoryMb(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exit;
  clearTimeout(impatience);
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Removes settings that the person who runs the bench has made for their own Bellhop. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('BELLHOP_')));
}

/** User and system time in ticks of 10 ms, the 14th and 15th field; the name may hold spaces. */
async function cpuMs({ pid }: ChildProcess): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

async function memoryMb({ pid }: ChildProcess): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
  } catch {
    return undefined;
  }
}
