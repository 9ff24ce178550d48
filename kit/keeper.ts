/**
 * Runs as a process of its own between a test run and one throw-away server. However the test run ends
 * (finished, Ctrl-C, an uncaught error, even kill -9), the channel between the two closes. Then the keeper
 * ends the server and removes its folder. This is the only way a server ends for good.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';

export interface Keeping {
  /** Where the server works; removed at the end. */
  folder: string;
  logFile: string;
  /** By default the server runs as the user who runs the tests. */
  user?: { uid: number; gid: number } | undefined;
  /** The quickest signal that leaves no child process behind. */
  endSignal: NodeJS.Signals;
}

/** A program to run, one at a time, or a signal for the one that runs. */
export type Order = Command | { signal: NodeJS.Signals };

export interface Command {
  program: string;
  args: string[];
  /** All of its environment; by default that of the keeper. */
  env?: Record<string, string>;
}

export type News = { started: number } | { ended: string };

/** What `News.ended` says after a program that did its work. */
export const SUCCESS = 'exit 0';

const END_TIMEOUT_MS = 5_000;

// The types and names above are also imported by the test run, which must not become a keeper.
if (import.meta.main) keep(JSON.parse(process.argv[2] ?? ''));

function keep(keeping: Keeping): void {
  let running: ChildProcess | null = null;

  process.on('message', (order: Order) => {
    if ('program' in order) start(order);
    else running?.kill(order.signal);
  });
  process.on('disconnect', end);
  process.on('SIGTERM', end);
  // It may have closed while this file was being loaded, with nobody listening yet.
  if (!process.connected) end();

  function start({ program, args, env }: Command): void {
    const log = openSync(keeping.logFile, 'a');
    const child = spawn(program, args, {
      ...keeping.user,
      ...(env && { env }),
      cwd: keeping.folder,
      // A group of its own: a Ctrl-C in the terminal must reach the test run, not the server.
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    running = child;
    const ended = (why: string) => {
      if (running !== child) return;
      running = null;
      tell({ ended: why });
    };
    child.on('spawn', () => tell({ started: child.pid ?? 0 }));
    child.on('error', (error) => ended(error.message));
    child.on('exit', (code, signal) => ended(`exit ${code ?? signal}`));
  }

  function end(): void {
    const group = running?.pid;
    if (group) {
      running?.on('exit', () => {
        signalGroup(group, 'SIGKILL');
        leave();
      });
      signalGroup(group, keeping.endSignal);
      setTimeout(() => signalGroup(group, 'SIGKILL'), END_TIMEOUT_MS);
    } else {
      leave();
    }
  }

  function leave(): void {
    // Retries, because a process of a killed server may write its last file just now.
    rmSync(keeping.folder, { recursive: true, force: true, maxRetries: 10 });
    process.exit();
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The process group is empty.
  }
}

function tell(news: News): void {
  // The test run may be gone already. Without a listener, that error would end the keeper before it has
  // ended the server.
  if (process.connected) process.send?.(news, () => {});
}
