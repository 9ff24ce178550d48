/**
 * The refused and failed calls that wait to be written. Each caller has a budget of lines. While it has some left,
 * each call gets a line of its own. After that, one line stands for all calls of the same kind (code and endpoint)
 * since the last one, and the kinds take turns: neither a flood of one kind hides another kind, nor a caller that
 * floods all of them costs more. So a million refusals in a minute are at most as many lines as a hundred.
 *
 * Those who cannot be named share one budget, and so do further callers if there are too many. Memory has a bound of
 * its own, which counts while the database is away. Whoever did not sign in may take half of it, so that a flood from
 * many networks leaves room for what partners did.
 */
import type { Clock } from '../../base/clock.ts';
import { Budget, type BudgetSize } from './budget.ts';
import type { RecordedCall } from './recorded-call.ts';

/** At most 100 lines in any minute. */
export const OF_A_CALLER: BudgetSize = { atOnce: 90, perMinute: 10 };
/** Of all callers, so that an hour in which every call fails does not displace the week before. */
export const OF_A_NODE: BudgetSize = { atOnce: 5_000, perMinute: 600 };
/** In memory: about 6 MB. Calls that would need more are only counted. */
export const MOST_LINES = 10_000;
const SHARE_OF_STRANGERS = 0.5;
/** With a budget of their own. It is forgotten once it has not been touched for 9 minutes. */
export const MOST_CALLERS = 10_000;
/** Of one caller, that wait for their turn: ten minutes of its budget. The calls of all further kinds share one line. */
export const MOST_KINDS = 100;
const FURTHER_KINDS = 'further kinds';

/** Those whose key is unknown. */
export const STRANGERS = '';
const OTHERS = 'others';

interface Caller {
  budget: Budget;
  /** The next line of each kind, first come first served. */
  waiting: Map<string, RecordedCall>;
}

export interface SamplesOptions {
  mostLines?: number;
  mostCallers?: number;
  /** A call was added to the line of another one. */
  onSampled?: () => void;
  /** A call has no line at all. */
  onDropped?: () => void;
}

export class CallSamples {
  readonly #clock: Clock;
  readonly #mostLines: number;
  readonly #mostCallers: number;
  readonly #onSampled: () => void;
  readonly #onDropped: () => void;
  readonly #budget: Budget;
  readonly #callers = new Map<string, Caller>();
  #ready: RecordedCall[] = [];
  #lines = 0;
  #linesOfStrangers = 0;

  constructor(clock: Clock, options: SamplesOptions = {}) {
    this.#clock = clock;
    this.#mostLines = options.mostLines ?? MOST_LINES;
    this.#mostCallers = options.mostCallers ?? MOST_CALLERS;
    this.#onSampled = options.onSampled ?? (() => {});
    this.#onDropped = options.onDropped ?? (() => {});
    this.#budget = new Budget(OF_A_NODE, clock.monotonic());
  }

  /** Lines in memory, including those that were taken and not released. */
  get lines(): number {
    return this.#lines;
  }

  /** `lineOf` is called only if the call gets a line, which in a flood is rare. */
  note(keyId: string, kind: string, lineOf: () => RecordedCall): void {
    this.#note(keyId, kind, lineOf, false);
  }

  /** The same for a call whose caller did not sign in. */
  noteStranger(callerId: string, kind: string, lineOf: () => RecordedCall): void {
    this.#note(callerId, kind, lineOf, true);
  }

  #note(callerId: string, kind: string, lineOf: () => RecordedCall, isStranger: boolean): void {
    const nowMs = this.#clock.monotonic();
    const isNamed = this.#callers.has(callerId) || this.#callers.size < this.#mostCallers;
    const caller = this.#caller(isNamed ? callerId : OTHERS, nowMs);
    let ownKind = isNamed ? kind : `${callerId} ${kind}`;
    let like = caller.waiting.get(ownKind);
    if (!like && caller.waiting.size >= MOST_KINDS) {
      ownKind = FURTHER_KINDS;
      like = caller.waiting.get(ownKind);
    }
    if (like) {
      like.sampled_from++;
      this.#onSampled();
      return;
    }
    if (!this.#hasRoom(isStranger)) {
      this.#onDropped();
      return;
    }
    this.#lines++;
    if (isStranger) this.#linesOfStrangers++;
    if (caller.waiting.size === 0 && this.#maySpend(caller, nowMs)) {
      this.#ready.push(lineOf());
    } else {
      caller.waiting.set(ownKind, lineOf());
    }
  }

  /** Lines to write, at most so many. They count towards the bound until they are released. */
  take(most: number): RecordedCall[] {
    return this.#ready.splice(0, most);
  }

  /** Lines that were taken have been written. */
  release(written: readonly RecordedCall[]): void {
    this.#lines -= written.length;
    for (const { signed_in } of written) if (!signed_in) this.#linesOfStrangers--;
  }

  /** Called every second: the next line of each caller that has some budget again. */
  giveTurns(): void {
    const nowMs = this.#clock.monotonic();
    const served: [string, Caller][] = [];
    for (const [id, caller] of this.#callers) {
      if (caller.waiting.size > 0) {
        if (!this.#maySpend(caller, nowMs)) continue;
        this.#takeTurn(caller);
        served.push([id, caller]);
      } else if (caller.budget.isUntouched(nowMs)) {
        this.#callers.delete(id);
      }
    }
    // To the end: next time the others come first, if the budget of the node does not suffice for all.
    for (const [id, caller] of served) {
      this.#callers.delete(id);
      this.#callers.set(id, caller);
    }
  }

  /** Before a stop: everything that waits, whatever the budgets say. */
  giveAllTurns(): void {
    for (const caller of this.#callers.values()) {
      while (caller.waiting.size > 0) this.#takeTurn(caller);
    }
  }

  #hasRoom(isStranger: boolean): boolean {
    if (this.#lines >= this.#mostLines) return false;
    return !isStranger || this.#linesOfStrangers < this.#mostLines * SHARE_OF_STRANGERS;
  }

  #takeTurn({ waiting }: Caller): void {
    const [kind, line] = waiting.entries().next().value as [string, RecordedCall];
    waiting.delete(kind);
    this.#ready.push(line);
  }

  #maySpend({ budget }: Caller, nowMs: number): boolean {
    if (!budget.hasLine(nowMs) || !this.#budget.hasLine(nowMs)) return false;
    budget.spend(nowMs);
    this.#budget.spend(nowMs);
    return true;
  }

  #caller(id: string, nowMs: number): Caller {
    let caller = this.#callers.get(id);
    if (!caller) {
      caller = { budget: new Budget(OF_A_CALLER, nowMs), waiting: new Map() };
      this.#callers.set(id, caller);
    }
    return caller;
  }
}
