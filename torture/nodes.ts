/** Bellhop processes as they are shipped: started, killed, stopped, frozen and watched. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EnvironmentName, ready, type Settings, serve } from '../kit/bellhop.ts';
import type { Exit, Started } from '../kit/process.ts';
import type { Link } from './database.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { RedisLinks } from './redis.ts';

/** The longest orderly stop that the contract allows. */
const STOP_MS = 15_000;
const LOG_TAIL = 2_000;

export class BellhopNode {
  readonly name: string;
  #settings: Settings;
  readonly logFile: string;
  /** To its database; undefined if the database is embedded. */
  readonly link: Link | undefined;
  /** Undefined if the limits are kept in the process. */
  readonly redis: RedisLinks | undefined;
  readonly #ledger: Ledger;
  #process: Started | undefined;
  #expectsEnd = false;
  /** It serves and can answer: it is neither frozen nor cut off. */
  answers = false;
  /** The address of the back office; undefined while it does not serve. */
  address: string | undefined;
  /** The addresses of the partner APIs; those of the last start while it does not serve. */
  partnerApis: Partial<Record<EnvironmentName, string>> = {};

  constructor(
    name: string,
    parts: {
      settings: Settings;
      link?: Link | undefined;
      redis?: RedisLinks | undefined;
      logFolder: string;
      ledger: Ledger;
    },
  ) {
    this.name = name;
    this.#settings = { ...parts.settings, ...parts.link?.settings, ...parts.redis?.settings };
    this.link = parts.link;
    this.redis = parts.redis;
    this.logFile = join(parts.logFolder, `${name}.log`);
    this.#ledger = parts.ledger;
    this.#ledger.presence.leave(name);
  }

  get pid(): number | undefined {
    return this.#process?.child.pid;
  }

  /** From the next start on. */
  change(settings: Settings): void {
    this.#settings = { ...this.#settings, ...settings };
  }

  /** Resolves to whether it serves; false if it ended before that. */
  async start(): Promise<boolean> {
    const startedAtMs = Date.now();
    const log = openSync(this.logFile, 'a');
    const started = serve(this.#settings, { stderr: log });
    closeSync(log);
    this.#process = started;
    this.#expectsEnd = false;
    let serves = false;
    void started.exit.then(({ code, signal }) => {
      this.#ledger.presence.leave(this.name);
      this.address = undefined;
      this.answers = false;
      if (serves && !this.#expectsEnd) {
        this.#ledger.violate(
          'a node runs until it is told to stop',
          `${this.name} ended by itself (${signal ?? code}). ${this.logTail()}`,
        );
      }
    });
    const addresses = await ready(started).catch(() => undefined);
    if (!addresses || started.child.exitCode !== null || started.child.signalCode !== null) {
      return false;
    }
    serves = true;
    this.#ledger.presence.return(this.name);
    this.#ledger.startsMs.push(Date.now() - startedAtMs);
    const { backOffice, ...partnerApis } = addresses;
    this.address = backOffice;
    this.partnerApis = partnerApis;
    this.answers = true;
    return true;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** An orderly stop, which must finish in time and without an error. */
  async stop(): Promise<void> {
    const startedAtMs = Date.now();
    const exit = await this.#end('SIGTERM');
    if (!exit) return;
    const tookMs = Date.now() - startedAtMs;
    this.#ledger.stopsMs.push(tookMs);
    if (exit.code !== 0 || tookMs > STOP_MS) {
      this.#ledger.violate(
        'a node that is told to stop ends well and in time',
        `${this.name} took ${tookMs} ms to stop and ended with ${exit.signal ?? exit.code}. ${this.logTail()}`,
      );
    }
  }

  /** Like a virtual machine that is moved, or a machine that swaps: time jumps ahead. */
  async freeze(ms: number): Promise<void> {
    await this.#absent(async () => {
      this.#process?.child.kill('SIGSTOP');
      await sleep(ms);
      this.#process?.child.kill('SIGCONT');
    });
  }

  /** It runs but cannot reach the database, nor other nodes through it. */
  async cutOff(ms: number, what: 'late' | 'lost'): Promise<void> {
    await this.#absent(async () => {
      this.link?.interrupt(what);
      await sleep(ms);
      this.link?.repair();
    });
  }

  logTail(): string {
    return `Its log ends with:\n${readFileSync(this.logFile, 'utf8').slice(-LOG_TAIL)}`;
  }

  async #absent(during: () => Promise<void>): Promise<void> {
    this.#ledger.presence.leave(this.name);
    this.answers = false;
    await during();
    if (!this.address) return;
    this.answers = true;
    this.#ledger.presence.return(this.name);
  }

  async #end(signal: NodeJS.Signals): Promise<Exit | undefined> {
    const child = this.#process?.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return undefined;
    this.#expectsEnd = true;
    this.#ledger.presence.leave(this.name);
    return this.#process?.end(signal, 2 * STOP_MS);
  }
}

export class Nodes {
  readonly all: readonly BellhopNode[];
  readonly #random: Random;

  constructor(all: readonly BellhopNode[], random: Random) {
    this.all = all;
    this.#random = random;
  }

  /** Mostly a node that can answer, as behind a load balancer that notices most failures. */
  anyAddress(): string | undefined {
    return this.#any()?.address;
  }

  anyPartnerApi(environment: EnvironmentName): string | undefined {
    return this.#any()?.partnerApis[environment];
  }

  #any(): BellhopNode | undefined {
    const up = this.all.filter(({ address }) => address !== undefined);
    const answering = up.filter(({ answers }) => answers);
    const choice = answering.length > 0 && this.#random.chance(0.9) ? answering : up;
    return choice.length > 0 ? this.#random.pick(choice) : undefined;
  }

  withPid(pid: number): BellhopNode | undefined {
    return this.all.find((node) => node.pid === pid);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((node) => node.stop()));
  }

  async kill(): Promise<void> {
    await Promise.all(this.all.map((node) => node.kill()));
  }
}
