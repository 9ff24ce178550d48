import { lateReply } from '@bellhop/partner/receiver-check';
import { ABORTED, explainFailure, type Failure, failureOf } from './failure.ts';
import type { FailureCode } from './failure-codes.ts';
import { type BadReply, ReplyReader } from './reply-reader.ts';

/** For finding out why there was no reply, within the time-out of the whole exchange. */
const EXPLAIN_NO_REPLY_MS = 1_000;

export interface Answered {
  kind: 'answered';
  status: number;
  /** The first 4 KiB of the reply's body. */
  replyExcerpt: string;
  durationMs: number;
}

export interface Failed {
  kind: 'failed';
  code: FailureCode;
  message: string;
  /** Of a reply that began and was never finished; null if none began. */
  status: number | null;
  /** What arrived of that reply's body; null if none began. */
  replyExcerpt: string | null;
  durationMs: number;
}

interface ExchangeGuard {
  isWanted(): boolean;
  onSent?(): void;
}

/**
 * One request: waiting for a connection → sent → answered → settled. It uses real time even in tests with
 * a fake clock, because the network does.
 */
export class Exchange {
  readonly #timeoutMs: number;
  readonly #startedMs = performance.now();
  #deadline: NodeJS.Timeout;
  readonly #guard: ExchangeGuard | undefined;
  readonly #reply = new ReplyReader();
  #settle: ((outcome: Answered | Failed) => void) | undefined;
  #isSent = false;
  /** Called when this side ends the exchange, at any stage: the connection cannot be used again. */
  onBrokenOff: (() => void) | undefined;
  /** What it means if there is no connection in time. */
  lateAs: (() => FailureCode | undefined) | undefined;
  /** Called when the connection ends before the reply begins; `explain` takes a better failure, if any. */
  onNoReply: ((explain: (failure: Failure | undefined) => void) => void) | undefined;

  constructor(
    timeoutMs: number,
    settle: (outcome: Answered | Failed) => void,
    guard?: ExchangeGuard,
  ) {
    this.#settle = settle;
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
    this.#deadline = setTimeout(() => this.#expire(), timeoutMs);
  }

  /** Ends the exchange as failed, at any stage. */
  breakOff(failure: Failure): void {
    this.#fail(failure);
    this.onBrokenOff?.();
  }

  /**
   * Whether to send it, now that there is a connection. After a freeze, a process sees its connection
   * before its timers fire. By then the signature is stale, and another node may have made the attempt.
   */
  isWanted(): boolean {
    if (this.#elapsedMs() > this.#timeoutMs) this.#expire();
    else if (this.#guard && !this.#guard.isWanted()) this.breakOff(ABORTED);
    return this.#settle !== undefined;
  }

  /** The request is sent; from now on the exchange waits for the reply. */
  sent(): void {
    this.#isSent = true;
    this.#guard?.onSent?.();
  }

  /** Undefined until the reply is complete; then how long the connection may stay idle (0: close it). */
  receive(chunk: Buffer): number | undefined {
    try {
      if (!this.#reply.read(chunk)) return undefined;
    } catch (error) {
      this.#fail((error as BadReply).failure);
      return 0;
    }
    this.#answer();
    return this.#reply.idleMs;
  }

  /** The receiver has closed the connection. */
  end(): void {
    try {
      this.#reply.end();
      this.#answer();
    } catch (error) {
      this.#disconnected((error as BadReply).failure);
    }
  }

  fail(error: Error): void {
    this.#disconnected(explainFailure(error));
  }

  #disconnected(failure: Failure): void {
    const leftMs = this.#timeoutMs - this.#elapsedMs();
    if (!this.onNoReply || !this.#reply.isEmpty || leftMs <= 0) {
      this.#fail(failure);
      return;
    }
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(
      () => this.breakOff(failure),
      Math.min(EXPLAIN_NO_REPLY_MS, leftMs),
    );
    this.onNoReply((explained) => this.#fail(explained ?? failure));
  }

  #fail(failure: Failure): void {
    const { status = null, replyExcerpt } = this.#reply;
    this.#finish({
      kind: 'failed',
      ...failure,
      status,
      replyExcerpt: status === null ? null : replyExcerpt,
      durationMs: this.#elapsedMs(),
    });
  }

  #answer(): void {
    this.#finish({
      kind: 'answered',
      status: this.#reply.status as number,
      replyExcerpt: this.#reply.replyExcerpt,
      durationMs: this.#elapsedMs(),
    });
  }

  #expire(): void {
    if (!this.#isSent) {
      this.breakOff(failureOf(this.lateAs?.() ?? 'connect_timeout'));
      return;
    }
    this.breakOff(lateReply(this.#reply.status, this.#timeoutMs));
  }

  #finish(outcome: Answered | Failed): void {
    clearTimeout(this.#deadline);
    this.#settle?.(outcome);
    this.#settle = undefined;
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }
}
