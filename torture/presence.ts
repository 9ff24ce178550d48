/** When each node and the database were able to work. */

/** The name of the database among the names of nodes. */
export const DATABASE = 'database';

export interface Absence {
  fromMs: number;
  /** Infinite until it is back. */
  toMs: number;
}

export class Presence {
  readonly #absences = new Map<string, Absence[]>();

  leave(name: string): void {
    if (this.#isAway(name)) return;
    const absences = this.#absences.get(name) ?? [];
    absences.push({ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY });
    this.#absences.set(name, absences);
  }

  return(name: string): void {
    const last = this.#absences.get(name)?.at(-1);
    if (last && this.#isAway(name)) last.toMs = Date.now();
  }

  absencesOf(name: string): readonly Absence[] {
    return this.#absences.get(name) ?? [];
  }

  /** How much of that span it was away. */
  awayMs(name: string, fromMs: number, toMs: number): number {
    return this.absencesOf(name)
      .map((one) => Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs))
      .reduce((sum, ms) => sum + Math.max(0, ms), 0);
  }

  /** Whether it was away at any moment of that span. */
  wasAway(name: string, fromMs: number, toMs: number): boolean {
    return this.absencesOf(name).some((one) => one.fromMs <= toMs && one.toMs >= fromMs);
  }

  #isAway(name: string): boolean {
    return this.#absences.get(name)?.at(-1)?.toMs === Number.POSITIVE_INFINITY;
  }
}
