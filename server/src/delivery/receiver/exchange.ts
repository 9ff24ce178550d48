import type { Dispatcher } from 'undici';
import {
  ABORTED,
  explainFailure,
  type Failure,
  type FailureCode,
  TOO_MANY_HINTS,
} from './failure.ts';
import { ReplyExcerpt } from './reply-excerpt.ts';

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
  durationMs: number;
}

const EXCERPT_BYTES = 4 * 1_024;
/**
 * A reply is read on to this length, so that its connection can be used again. Beyond it the status
 * has settled the matter, and the connection is cut: an endless 200 is a delivery.
 */
const READ_BYTES = 64 * 1_024;
/** Early hints and the like, before the answer; a stream of them would keep the parser busy. */
const MOST_HINTS = 16;

/** Only to stop undici; what is reported has been settled before. */
const SETTLED = new Error('settled');

/**
 * One request under way: waiting for a connection → sent → answered → settled. Real time on purpose,
 * also in tests with a fake clock: the network keeps no other.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  #settle: ((outcome: Answered | Failed) => void) | undefined;
  #startedMs = performance.now();
  #timeoutMs: number;
  #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | undefined;
  #hints = 0;
  #excerpt = new ReplyExcerpt(EXCERPT_BYTES);
  #release: (() => void) | undefined;

  constructor(timeoutMs: number, settle: (outcome: Answered | Failed) => void) {
    this.#settle = settle;
    this.#timeoutMs = timeoutMs;
    this.#deadline = setTimeout(() => this.#expire(), timeoutMs);
  }

  heed(signal: AbortSignal): void {
    const abort = () => this.breakOff(ABORTED);
    signal.addEventListener('abort', abort, { once: true });
    this.#release = () => signal.removeEventListener('abort', abort);
  }

  /** Settles it as failed, wherever it stands. */
  breakOff(failure: Failure): void {
    this.#fail(failure);
    this.#controller?.abort(SETTLED);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A process that stood still hears of its connection before it hears of its timers. What it has
    // signed is stale by now, and another node may have made the attempt.
    if (this.#elapsedMs() > this.#timeoutMs) this.#expire();
    // Settled while it waited for a connection. Thrown rather than aborted: that spares the socket.
    if (!this.#settle) throw SETTLED;
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) this.#status = status;
    else if (++this.#hints > MOST_HINTS) this.breakOff(TOO_MANY_HINTS);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#excerpt.add(chunk);
    if (this.#excerpt.bytes <= READ_BYTES) return;
    this.#answer();
    controller.abort(SETTLED);
  }

  onResponseEnd(): void {
    this.#answer();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#fail(explainFailure(error));
  }

  #fail(failure: Failure): void {
    this.#finish({ kind: 'failed', ...failure, durationMs: this.#elapsedMs() });
  }

  #answer(): void {
    this.#finish({
      kind: 'answered',
      status: this.#status as number,
      replyExcerpt: this.#excerpt.text(),
      durationMs: this.#elapsedMs(),
    });
  }

  #expire(): void {
    const what =
      this.#status === undefined
        ? 'did not answer'
        : `answered with status ${this.#status} but did not finish its reply`;
    this.breakOff({
      code: 'timeout',
      message: `The receiver ${what} within ${this.#timeoutMs} ms.`,
    });
  }

  #finish(outcome: Answered | Failed): void {
    clearTimeout(this.#deadline);
    this.#release?.();
    this.#settle?.(outcome);
    this.#settle = undefined;
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }
}
