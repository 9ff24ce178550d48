/** The Bellhop processes, as they are shipped: started, killed, stopped, and watched. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';

const PROGRAM = join(import.meta.dirname, '..', 'server', 'bin', 'bellhop.js');
const READY = 'ready ';
/** What the contract allows an orderly stop. */
const STOP_MS = 15_000;
const WARM_MS = 5_000;
const LOG_TAIL = 2_000;

export type Settings = Record<string, string>;

export class BellhopNode {
  readonly name: string;
  readonly #settings: Settings;
  readonly #logFile: string;
  readonly #ledger: Ledger;
  #child: ChildProcess | undefined;
  #expectsEnd = false;
  #upSinceMs = 0;
  /** Of the back office; undefined while it does not serve. */
  address: string | undefined;

  constructor(name: string, settings: Settings, logFolder: string, ledger: Ledger) {
    this.name = name;
    this.#settings = settings;
    this.#logFile = join(logFolder, `${name}.log`);
    this.#ledger = ledger;
  }

  /** Resolves to whether it serves; false if it ended before it did. */
  async start(): Promise<boolean> {
    const startedAtMs = Date.now();
    const log = openSync(this.#logFile, 'a');
    const child = spawn(process.execPath, [PROGRAM, 'serve'], {
      env: { PATH: process.env.PATH ?? '', ...this.#settings },
      stdio: ['ignore', 'pipe', log],
    });
    closeSync(log);
    this.#child = child;
    this.#expectsEnd = false;
    let serves = false;
    const killWithUs = () => child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', (code, signal) => {
      process.off('exit', killWithUs);
      this.address = undefined;
      if (serves && !this.#expectsEnd) {
        this.#ledger.violate(
          'a node runs until it is told to stop',
          `${this.name} ended by itself (${signal ?? code}). ${this.logTail()}`,
        );
      }
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const ready = new Promise<boolean>((resolve) => {
      lines.on('line', (line) => {
        if (!line.startsWith(READY)) return;
        serves = true;
        this.#upSinceMs = Date.now();
        this.#ledger.startsMs.push(this.#upSinceMs - startedAtMs);
        this.address = JSON.parse(line.slice(READY.length)).backOffice;
        resolve(true);
      });
      child.once('exit', () => resolve(false));
    });
    return ready;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** An orderly stop, which must keep its time limit and end well. */
  async stop(): Promise<void> {
    const startedAtMs = Date.now();
    const child = await this.#end('SIGTERM');
    if (!child) return;
    const tookMs = Date.now() - startedAtMs;
    this.#ledger.stopsMs.push(tookMs);
    if (child.exitCode !== 0 || tookMs > STOP_MS) {
      this.#ledger.violate(
        'a node that is told to stop ends well and in time',
        `${this.name} took ${tookMs} ms to stop and ended with ${child.signalCode ?? child.exitCode}. ${this.logTail()}`,
      );
    }
  }

  /**
   * As on a machine that is moved, or out of memory: it finds itself in a later time. Not before it
   * is warm: the first webhooks take long to be put together, and one that is signed but not yet
   * sent when time stops goes out when it goes on, whatever anybody does.
   */
  async freeze(ms: number, strike: () => void): Promise<void> {
    await sleep(Math.max(0, this.#upSinceMs + WARM_MS - Date.now()));
    strike();
    this.#child?.kill('SIGSTOP');
    await sleep(ms);
    this.#child?.kill('SIGCONT');
  }

  logTail(): string {
    return `Its log ends with:\n${readFileSync(this.#logFile, 'utf8').slice(-LOG_TAIL)}`;
  }

  async #end(signal: NodeJS.Signals): Promise<ChildProcess | undefined> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return undefined;
    this.#expectsEnd = true;
    const exit = once(child, 'exit');
    child.kill(signal);
    const impatience = setTimeout(() => child.kill('SIGKILL'), 2 * STOP_MS);
    await exit;
    clearTimeout(impatience);
    return child;
  }
}

export class Nodes {
  readonly all: readonly BellhopNode[];
  readonly #random: Random;

  constructor(all: readonly BellhopNode[], random: Random) {
    this.all = all;
    this.#random = random;
  }

  anyAddress(): string | undefined {
    const up = this.all.flatMap((node) => node.address ?? []);
    return up.length > 0 ? this.#random.pick(up) : undefined;
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((node) => node.stop()));
  }

  async kill(): Promise<void> {
    await Promise.all(this.all.map((node) => node.kill()));
  }
}
