/** How many lines may be written: so many at once, and so many a minute in the long run. */
const MINUTE_MS = 60_000;

export interface BudgetSize {
  atOnce: number;
  perMinute: number;
}

export class Budget {
  readonly #size: BudgetSize;
  #left: number;
  #atMs: number;

  constructor(size: BudgetSize, nowMs: number) {
    this.#size = size;
    this.#left = size.atOnce;
    this.#atMs = nowMs;
  }

  hasLine(nowMs: number): boolean {
    return this.#leftAt(nowMs) >= 1;
  }

  isUntouched(nowMs: number): boolean {
    return this.#leftAt(nowMs) >= this.#size.atOnce;
  }

  spend(nowMs: number): void {
    this.#left = this.#leftAt(nowMs) - 1;
    this.#atMs = nowMs;
  }

  #leftAt(nowMs: number): number {
    const { atOnce, perMinute } = this.#size;
    return Math.min(atOnce, this.#left + ((nowMs - this.#atMs) / MINUTE_MS) * perMinute);
  }
}
