/**
 * What a bench is and what it reports. To add one: write a file in benches/ and list it in main.ts.
 */
export interface Bench {
  /** How it is chosen on the command line. */
  name: string;
  run(session: Session): Promise<Line[]>;
}

/** What a running bench is given; whatever it leaves here is undone when it ends, last first. */
export interface Session {
  /** Tells whoever is watching what is going on. */
  progress(text: string): void;
  undo(step: () => unknown): void;
  /** A new folder on the disk of the repository: /tmp may be memory, where durable costs nothing. */
  folder(): Promise<string>;
}

/** One claim: a figure, or two figures and their ratio, and the bar it is held to. */
export interface Line {
  title: string;
  unit: string;
  measured: Figure;
  against?: Figure;
  /** The ratio if there are two figures, else the figure itself. */
  result: number;
  /** Each round's own ratio: far apart, they say that the machine was busy with something else. */
  ratios?: number[];
  bar?: { atLeast: number } | { atMost: number };
}

export interface Figure {
  name: string;
  median: number;
  /** Each round's own figure, for whoever wants to see the spread. */
  rounds: number[];
  /** What else is worth keeping, such as percentiles. */
  details?: Record<string, number>;
}

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
