/**
 * What a bench is and what it reports. To add one, write a file in benches/ and list it in main.ts.
 */
export interface Bench {
  /** Its name on the command line. */
  name: string;
  run(session: Session): Promise<Line[]>;
}

/** What a running bench gets. Everything passed to `undo` is undone when it ends, last first. */
export interface Session {
  /** Shows progress. */
  progress(text: string): void;
  undo(step: () => unknown): void;
  /** A new folder on the repository's disk: /tmp may be in memory, where a sync costs nothing. */
  folder(): Promise<string>;
}

/** One claim: a figure, or two figures and their ratio, and the bar that it must reach. */
export interface Line {
  title: string;
  unit: string;
  measured: Figure;
  against?: Figure;
  /** The ratio if there are two figures, otherwise the figure itself. */
  result: number;
  /** The ratio of each round. If they are far apart, the machine was busy with something else. */
  ratios?: number[];
  bar?: { atLeast: number } | { atMost: number };
  /** No bar, but the report says which of the two is faster. */
  isRace?: boolean;
}

export interface Figure {
  name: string;
  median: number;
  /** The figure of each round, to show the spread. */
  rounds: number[];
  /** Further values worth keeping, such as percentiles. */
  details?: Record<string, number>;
  /** How the side was set up, if that is not the same for both. */
  settings?: string;
}

/** A bench that cannot run here, and why. */
export class Skipped extends Error {}

export function isMet({ result, bar }: Line): boolean {
  if (!bar) return true;
  return 'atLeast' in bar ? result >= bar.atLeast : result <= bar.atMost;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}
