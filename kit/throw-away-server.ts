/**
 * A server that lives as long as the tests that need it: in a temporary folder, on a free port of
 * 127.0.0.1, never as root, and watched by a keeper process (keeper.ts).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { type Command, type Keeping, type News, type Order, SUCCESS } from './keeper.ts';
import { type User, unprivilegedUser } from './unprivileged.ts';

export interface ThrowAwayServer {
  readonly url: string;
  readonly port: number;
  readonly logFile: string;
  /** Null while it does not run. */
  readonly pid: number | null;
  /** An orderly stop; its data stays for `restart`. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data, stopping it first if it runs. */
  restart(): Promise<void>;
  /** Stops it for good and removes its folder. */
  end(): Promise<void>;
}

/** What differs between one kind of server and another. */
export interface ServerKind {
  name: string;
  /** Accounts it may run as when the tests run as root, best first. By default it runs as their user. */
  accounts?: string[];
  /** Where its folder is created; by default among the temporary files. */
  parentFolder?: string;
  /** Run once before the first start. */
  prepare?(location: Location): Command;
  serve(location: Location): Command;
  url(location: Location): string;
  /** Rejects for as long as the server does not answer. */
  answers(url: string): Promise<void>;
  stopSignal: NodeJS.Signals;
  endSignal: NodeJS.Signals;
}

export interface Location {
  folder: string;
  port: number;
}

const START_TIMEOUT_MS = 60_000;

/**
 * The last processes of a killed PostgreSQL hold its shared memory for a moment longer, or for seconds on a busy machine,
 * and a start meanwhile is refused. So a start is tried again for a while.
 */
const RETRY_MS = 30_000;

export async function startThrowAway(kind: ServerKind): Promise<ThrowAwayServer> {
  const user = kind.accounts && unprivilegedUser(kind.accounts);
  const port = await freePort();
  // Nothing may be awaited between here and the keeper's start: otherwise nobody might remove the folder.
  const folder = freshFolder(kind.parentFolder ?? tmpdir(), user);
  const location: Location = { folder, port };
  const logFile = join(folder, 'server.log');
  const keeper = startKeeper({ folder, logFile, user, endSignal: kind.endSignal });
  const url = kind.url(location);
  let pid: number | null = null;
  let endedWith = '';
  keeper.on('message', (news: News) => {
    pid = 'started' in news ? news.started : null;
    if ('ended' in news) endedWith = news.ended;
  });

  async function prepare(): Promise<void> {
    if (!kind.prepare) return;
    order(keeper, kind.prepare(location));
    do await nextNews(keeper);
    while (pid !== null);
    if (endedWith !== SUCCESS) throw new Error(troubleStarting());
  }

  async function start(): Promise<void> {
    const giveUpAt = Date.now() + RETRY_MS;
    while (!(await startOnce())) {
      if (Date.now() > giveUpAt) throw new Error(troubleStarting());
      await sleep(100);
    }
  }

  async function startOnce(): Promise<boolean> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    order(keeper, kind.serve(location));
    await nextNews(keeper);
    while (pid !== null) {
      try {
        await kind.answers(url);
        return true;
      } catch (cause) {
        if (Date.now() > deadline) throw new Error(troubleStarting(), { cause });
        await sleep(20);
      }
    }
    return false;
  }

  function troubleStarting(): string {
    const what = pid === null ? `ended with "${endedWith}"` : 'does not answer';
    const log = readFileSync(logFile, 'utf8').slice(-2_000);
    return `${kind.name} was started for the tests, but ${what}. Its log says:\n${log}`;
  }

  async function stopWith(signal: NodeJS.Signals): Promise<void> {
    if (pid === null) return;
    order(keeper, { signal });
    while (pid !== null) await nextNews(keeper);
  }

  async function end(): Promise<void> {
    if (keeper.exitCode !== null || keeper.signalCode !== null) return;
    const exited = once(keeper, 'exit');
    if (keeper.connected) keeper.disconnect();
    await exited;
    pid = null;
  }

  try {
    await prepare();
    await start();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    url,
    port,
    logFile,
    get pid() {
      return pid;
    },
    stop: () => stopWith(kind.stopSignal),
    kill: () => stopWith('SIGKILL'),
    async restart() {
      await stopWith(kind.stopSignal);
      await start();
    },
    end,
  };
}

function freshFolder(parent: string, owner: User | undefined): string {
  const folder = mkdtempSync(join(parent, 'bellhop-test-'));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

function startKeeper(keeping: Keeping): ChildProcess {
  return fork(new URL('./keeper.ts', import.meta.url), [JSON.stringify(keeping)], {
    // A group of its own, so that a Ctrl-C leaves it alive to clean up.
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

async function nextNews(keeper: ChildProcess): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const died = once(keeper, 'exit', { signal }).then(() => {
    throw new Error('The keeper of a throw-away server died.');
  });
  try {
    await Promise.race([once(keeper, 'message', { signal }), died]);
  } finally {
    died.catch(() => {});
    waiting.abort();
  }
}

function order(keeper: ChildProcess, order: Order): void {
  keeper.send(order);
}
