/**
 * Sends spans to the collector in batches, one request at a time. The queue is bounded: a collector that is
 * slow or away costs spans, which are counted, and nothing else. Nothing ever waits for it, except a stop, for
 * a moment.
 *
 *     queued ──batch full, or delay over──→ sending ──2xx──→ exported
 *       ↑                                      ├── refused for good ──→ dropped
 *       └───── after a wait, tried again ──────┘
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { backOffMs } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Counter } from '../metrics.ts';
import type { ExportSettings } from './settings.ts';
import type { Encoding } from './span.ts';

/** Answers after which OTLP asks the sender to try again. Everything else is final. */
const TRY_AGAIN = new Set([429, 502, 503, 504]);
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** How long a stop waits for the spans that are left. */
const LAST_SEND_MS = 2_000;

export interface ExporterParts {
  settings: ExportSettings;
  encoding: Pick<Encoding, 'contentType' | 'batch'>;
  exported: Counter;
  /** Spans that came while the queue was full. */
  droppedAtQueue: Counter;
  /** Spans that the collector refused, and those left at a stop. */
  droppedAtExport: Counter;
  log: Log;
}

export class SpanExporter {
  readonly #parts: ExporterParts;
  readonly #queue: Buffer[] = [];
  #sending: Promise<void> | undefined;
  #sendingCount = 0;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isStopped = false;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
  }

  /** If not, the span counts as dropped. */
  hasRoom(): boolean {
    const isFull = this.#queue.length + this.#sendingCount >= this.#parts.settings.maxQueueSize;
    if (isFull) this.#parts.droppedAtQueue.add();
    return !isFull;
  }

  add(span: Buffer): void {
    this.#queue.push(span);
    this.#schedule();
  }

  /** Sends what is left, if the collector answers in time. Never fails. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const deadline = AbortSignal.timeout(LAST_SEND_MS);
    const ended = new Promise<void>((resolve) =>
      deadline.addEventListener('abort', () => resolve()),
    );
    await Promise.race([this.#sending, ended]);
    while (this.#queue.length > 0 && this.#failures === 0 && !deadline.aborted) {
      await this.#send(deadline);
    }
    this.#parts.droppedAtExport.add(this.#queue.splice(0).length);
  }

  #schedule(): void {
    if (this.#sending || this.#isStopped || this.#queue.length === 0) return;
    const { maxBatchSize, scheduleDelayMs } = this.#parts.settings;
    // After a failure, a timer says when to try again.
    if (this.#queue.length >= maxBatchSize && this.#failures === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#sending = this.#send();
    } else {
      this.#sendAfter(scheduleDelayMs);
    }
  }

  #sendAfter(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#send();
    }, delayMs).unref();
  }

  /** One batch. Afterwards, the next one is scheduled. */
  async #send(deadline?: AbortSignal): Promise<void> {
    const { settings, exported, droppedAtExport } = this.#parts;
    const spans = this.#queue.splice(0, settings.maxBatchSize);
    this.#sendingCount = spans.length;
    const outcome = await this.#post(spans, deadline);
    this.#sendingCount = 0;
    this.#sending = undefined;
    if (outcome.kind === 'try again') {
      this.#queue.unshift(...spans);
      this.#failed(outcome.why);
      const waitMs = backOffMs(this.#failures, FIRST_WAIT_MS, LONGEST_WAIT_MS);
      if (!this.#isStopped) this.#sendAfter(Math.max(waitMs, outcome.afterMs));
      return;
    }
    if (outcome.kind === 'refused') {
      droppedAtExport.add(spans.length);
      this.#failed(outcome.why);
      this.#schedule();
      return;
    }
    exported.add(spans.length);
    if (this.#failures > 0) this.#parts.log.info('the trace collector takes spans again');
    this.#failures = 0;
    this.#schedule();
  }

  async #post(spans: readonly Buffer[], deadline?: AbortSignal): Promise<Outcome> {
    const { settings, encoding } = this.#parts;
    const timeout = AbortSignal.timeout(settings.timeoutMs);
    try {
      const plain = encoding.batch(spans);
      const body = settings.isCompressed ? await promisify(gzip)(plain) : plain;
      const reply = await fetch(settings.url, {
        method: 'POST',
        headers: {
          ...settings.headers,
          'content-type': encoding.contentType,
          ...(settings.isCompressed && { 'content-encoding': 'gzip' }),
        },
        body: new Uint8Array(body),
        redirect: 'error',
        signal: deadline ? AbortSignal.any([timeout, deadline]) : timeout,
      });
      await reply.body?.cancel();
      if (reply.ok) return { kind: 'exported' };
      const why = `The collector answered ${reply.status}.`;
      if (!TRY_AGAIN.has(reply.status)) return { kind: 'refused', why };
      const afterMs = 1_000 * (Number(reply.headers.get('retry-after')) || 0);
      return { kind: 'try again', why, afterMs: Math.min(afterMs, LONGEST_WAIT_MS) };
    } catch (error) {
      return { kind: 'try again', why: reasonOf(error), afterMs: 0 };
    }
  }

  /** Only the first failure in a row is logged. */
  #failed(why: string): void {
    if (this.#failures === 0) {
      this.#parts.log.warn(
        { reason: why },
        'spans cannot be exported; check OTEL_EXPORTER_OTLP_ENDPOINT and the collector',
      );
    }
    this.#failures++;
  }
}

type Outcome =
  | { kind: 'exported' }
  | { kind: 'refused'; why: string }
  | { kind: 'try again'; why: string; afterMs: number };

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message;
}
