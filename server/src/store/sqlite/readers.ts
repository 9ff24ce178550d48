/**
 * What people read runs beside what is delivered: in threads of its own, on connections that only read. A filter that
 * matches nothing reads everything, and in the thread that delivers, a list of a partner with 300,000 deliveries held up
 * everybody's events for a quarter of a second.
 *
 * A thread starts when somebody reads, and ends when nobody has read for a minute. SQLite's log lets it see whatever was
 * committed before its statement began, so people find what they have just changed.
 *
 * Callers take turns, statement by statement, and each has one thread at most: a second thread starts when somebody has
 * waited for the first for a moment. So one caller's slow statements leave a thread to all others. A statement cannot be
 * stopped. If it takes too long, its caller gets an error, and the thread is busy until its end.
 *
 * SQLite can use its log from the start again only while nobody reads from it, and two threads that always overlap
 * leave no such moment. So when the log has grown too long, no statement starts until all that run have ended, and the
 * next write begins the log anew.
 */
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import {
  DatabaseAway,
  MOST_WAITING_READS,
  READ_TIMEOUT_MS,
  ReadTimedOut,
  TooManyReads,
} from '../../base/database-errors.ts';

export const MOST_READERS = 2;
/** Of a write-ahead log. More than `KEPT_LOG_BYTES`, to which a log is cut when it begins anew. */
export const LONGEST_LOG_BYTES = 256 * 1_048_576;
const LOOK_AT_LOG_MS = 50;
/** After the last statement has ended. By then the log is copied and begun anew, unless nobody writes. */
const HELD_BACK_MS = 1_000;
const IDLE_MS = 60_000;
/** Most statements take less than a millisecond, and a thread takes 40 ms to start. */
const SECOND_AFTER_MS = 50;
/** Rows of a page take a few megabytes. */
const MOST_HEAP_MB = 128;
/** A stop does not wait longer for a statement: the end of the process ends it. */
const CLOSE_MS = 1_000;

export interface ReadStatement {
  file: string;
  sql: string;
  parameters: readonly unknown[];
}

export type Row = Record<string, unknown>;

export type ReadAnswer = { rows: Row[] } | { error: ErrorFields };

/** A clone of an error has only its message. */
export interface ErrorFields {
  message: string;
  code?: string | undefined;
  errcode?: number | undefined;
  errstr?: string | undefined;
}

interface Waiting {
  caller: string;
  statement: ReadStatement;
  /** A thread that ends unexpectedly may have nothing to do with the statement. */
  isRepeated: boolean;
  resolve(rows: Row[]): void;
  reject(error: Error): void;
}

interface Thread {
  worker: Worker;
  exited: Promise<void>;
  running: Waiting | undefined;
  idleTimer: NodeJS.Timeout | undefined;
}

export class Readers {
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #threads = new Set<Thread>();
  readonly #bounds: { timeoutMs: number; idleMs: number; longestLogBytes: number };
  /** Set while no statement may start. */
  #holdTimer: NodeJS.Timeout | undefined;
  /** Of each file, how long its log was when holding back did not help. Only a longer one is a reason to try again. */
  readonly #longLogs = new Map<string, number>();
  #secondTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({
    timeoutMs = READ_TIMEOUT_MS,
    idleMs = IDLE_MS,
    longestLogBytes = LONGEST_LOG_BYTES,
  } = {}) {
    this.#bounds = { timeoutMs, idleMs, longestLogBytes };
  }

  /** How many threads there are now. */
  get threads(): number {
    return this.#threads.size;
  }

  read(caller: string, statement: ReadStatement): Promise<Row[]> {
    if (this.#isClosed) return Promise.reject(closed());
    const ofCaller = this.#waiting.get(caller) ?? [];
    if (ofCaller.length >= MOST_WAITING_READS) return Promise.reject(new TooManyReads());
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
    const one: Waiting = { caller, statement, isRepeated: false, resolve, reject };
    ofCaller.push(one);
    this.#waiting.set(caller, ofCaller);
    const timer = setTimeout(() => {
      this.#forget(one);
      reject(new ReadTimedOut());
    }, this.#bounds.timeoutMs);
    this.#assign();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Resolves when the threads have ended, or after a moment. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#secondTimer);
    clearTimeout(this.#holdTimer);
    for (const ofCaller of this.#waiting.values()) {
      for (const { reject } of ofCaller) reject(closed());
    }
    this.#waiting.clear();
    const threads = [...this.#threads];
    for (const thread of threads) {
      thread.running?.reject(closed());
      end(thread);
    }
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    await Promise.race([Promise.all(threads.map(({ exited }) => exited)), late]);
    clearTimeout(timer);
  }

  #assign(): void {
    for (;;) {
      const next = this.#next();
      if (!next || this.#holdsBack(next)) return;
      const idle = [...this.#threads].find(({ running }) => !running);
      if (idle) this.#run(idle, this.#take(next));
      else if (this.#threads.size === 0) this.#run(this.#start(), this.#take(next));
      else {
        this.#startSecondSoon();
        return;
      }
    }
  }

  #holdsBack(caller: string): boolean {
    if (this.#holdTimer) return true;
    const file = this.#waiting.get(caller)?.[0]?.statement?.file;
    if (file === undefined || !this.#isTooLong(file)) return false;
    this.#holdFor(file, HELD_BACK_MS);
    return true;
  }

  #isTooLong(file: string): boolean {
    const bytes = logBytes(file);
    if (bytes <= this.#bounds.longestLogBytes) this.#longLogs.delete(file);
    return bytes > Math.max(this.#bounds.longestLogBytes, this.#longLogs.get(file) ?? 0);
  }

  #holdFor(file: string, leftMs: number): void {
    this.#holdTimer = setTimeout(() => {
      const isBusy = [...this.#threads].some(({ running }) => running);
      if (this.#isTooLong(file) && (isBusy || leftMs > 0)) {
        this.#holdFor(file, isBusy ? leftMs : leftMs - LOOK_AT_LOG_MS);
        return;
      }
      this.#holdTimer = undefined;
      if (this.#isTooLong(file)) this.#longLogs.set(file, logBytes(file));
      this.#assign();
    }, LOOK_AT_LOG_MS);
  }

  /** Whose turn it is, of those who have no thread now. */
  #next(): string | undefined {
    const served = new Set([...this.#threads].map(({ running }) => running?.caller));
    for (const caller of this.#waiting.keys()) if (!served.has(caller)) return caller;
    return undefined;
  }

  #take(caller: string): Waiting {
    const [first, ...others] = this.#waiting.get(caller) as [Waiting, ...Waiting[]];
    // The others come behind all other callers.
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    return first;
  }

  #forget(one: Waiting): void {
    const others = this.#waiting.get(one.caller)?.filter((each) => each !== one) ?? [];
    if (others.length > 0) this.#waiting.set(one.caller, others);
    else this.#waiting.delete(one.caller);
  }

  #startSecondSoon(): void {
    if (this.#secondTimer || this.#threads.size >= MOST_READERS) return;
    this.#secondTimer = setTimeout(() => {
      this.#secondTimer = undefined;
      const next = this.#next();
      const isFull = this.#threads.size >= MOST_READERS;
      if (next !== undefined && !isFull && !this.#holdsBack(next))
        this.#run(this.#start(), this.#take(next));
    }, SECOND_AFTER_MS);
  }

  #start(): Thread {
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
    });
    worker.unref();
    const { promise: exited, resolve } = Promise.withResolvers<void>();
    const thread: Thread = { worker, exited, running: undefined, idleTimer: undefined };
    this.#threads.add(thread);
    worker.on('message', (answer: ReadAnswer) => this.#answered(thread, answer));
    // Its exit follows.
    worker.on('error', () => {});
    worker.once('exit', () => {
      resolve();
      this.#lost(thread);
    });
    return thread;
  }

  #run(thread: Thread, one: Waiting): void {
    clearTimeout(thread.idleTimer);
    thread.running = one;
    thread.worker.postMessage(one.statement);
  }

  #answered(thread: Thread, answer: ReadAnswer): void {
    const one = thread.running;
    thread.running = undefined;
    if ('rows' in answer) one?.resolve(answer.rows);
    else one?.reject(Object.assign(new Error(answer.error.message), answer.error));
    if (this.#isClosed) return;
    thread.idleTimer = setTimeout(() => {
      this.#threads.delete(thread);
      end(thread);
    }, this.#bounds.idleMs).unref();
    this.#assign();
  }

  /** A crash, or the end of an idle thread. Reading twice does no harm. */
  #lost(thread: Thread): void {
    this.#threads.delete(thread);
    clearTimeout(thread.idleTimer);
    const one = thread.running;
    if (!one || this.#isClosed) return;
    if (one.isRepeated) {
      one.reject(new DatabaseAway('the thread that read it has ended'));
    } else {
      const others = this.#waiting.get(one.caller) ?? [];
      one.isRepeated = true;
      this.#waiting.set(one.caller, [one, ...others]);
    }
    this.#assign();
  }
}

function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function end({ worker }: Thread): void {
  // The process must not end before the thread has.
  worker.ref();
  worker.postMessage('end');
}

function closed(): DatabaseAway {
  return new DatabaseAway('this process ends');
}
