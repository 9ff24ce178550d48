/**
 * What this node has confirmed in the last minutes, in the order in which it did. A failover to a replica that lags
 * loses the newest of it; restore-writes.ts stores that again. Bounded in time and in memory: a burst keeps less of
 * the past, still many times the lag of a replica that keeps up.
 */
import type { Clock } from '../../base/clock.ts';
import type { NewDelivery } from '../../delivery/orders/judge.ts';
import type { Settlement } from '../../delivery/stages.ts';
import { type KeptChange, sizeOf } from '../kept-change.ts';

const KEPT_MS = 5 * 60_000;
const MOST_BYTES = 32 * 1_024 * 1_024;
/** Roughly what objects take beside their texts. */
const EVENT_BYTES = 400;
const OUTCOME_BYTES = 1_000;
const STATEMENT_BYTES = 500;

export interface KeptEvent extends NewDelivery {
  seq: number;
  accepted_at: number;
}

export type KeptWrite =
  | { kind: 'events'; events: readonly KeptEvent[] }
  | { kind: 'outcomes'; outcomes: readonly Settlement[] }
  | { kind: 'change'; change: KeptChange };

interface Entry {
  write: KeptWrite;
  atMs: number;
  bytes: number;
}

export class KeptWrites {
  readonly #clock: Clock;
  /** The oldest first; those before `#first` are gone. */
  #entries: (Entry | undefined)[] = [];
  #first = 0;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(write: KeptWrite): void {
    const bytes = bytesOf(write);
    const atMs = this.#clock.monotonic();
    this.#entries.push({ write, atMs, bytes });
    this.#bytes += bytes;
    this.#forget(atMs);
  }

  /** All that is kept, the oldest first. Nothing gets too old while no database answers: then nothing is confirmed. */
  all(): KeptWrite[] {
    return this.#entries.slice(this.#first).flatMap((entry) => entry?.write ?? []);
  }

  #forget(nowMs: number): void {
    for (;;) {
      const oldest = this.#entries[this.#first];
      if (!oldest || (this.#bytes <= MOST_BYTES && nowMs - oldest.atMs <= KEPT_MS)) break;
      this.#bytes -= oldest.bytes;
      this.#entries[this.#first] = undefined;
      this.#first++;
    }
    // Now and then, so that each entry is moved once at most.
    if (this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }
}

function bytesOf(write: KeptWrite): number {
  switch (write.kind) {
    case 'events':
      return write.events.reduce((sum, event) => sum + EVENT_BYTES + lengthOf(event), 0);
    case 'outcomes':
      return write.outcomes.reduce(
        (sum, { due, attempt }) =>
          sum + OUTCOME_BYTES + lengthOf(due) + (attempt.reply_excerpt?.length ?? 0),
        0,
      );
    case 'change':
      return write.change.statements.reduce((sum, one) => sum + STATEMENT_BYTES + sizeOf(one), 0);
  }
}

function lengthOf(event: Pick<NewDelivery, 'event_id' | 'partner_order_id' | 'status'>): number {
  return event.event_id.length + event.partner_order_id.length + (event.status?.length ?? 0);
}
