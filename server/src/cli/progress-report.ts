/** Progress of commands that may run for minutes: on a terminal one line that changes, elsewhere a line every ten seconds. */
import { progress } from './terminal.ts';

const EVERY_MS = 100;
/** Elsewhere, where each report stays. */
const EVERY_LINE_MS = 10_000;

export interface ProgressReport {
  /** `what` replaces the name of what is counted. */
  tell(done: number, total: number, what?: string): void;
  end(): void;
}

/** `counted` says what is counted, for example "production: keys". */
export function reportProgress(counted: string): ProgressReport {
  const line = progress();
  const everyMs = process.stderr.isTTY ? EVERY_MS : EVERY_LINE_MS;
  let toldAtMs = process.stderr.isTTY ? 0 : performance.now();
  return {
    tell(done, total, what = counted) {
      if (performance.now() - toldAtMs < everyMs) return;
      toldAtMs = performance.now();
      const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
      const text = `${what}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')} (${percent} %)`;
      if (process.stderr.isTTY) line.show(text);
      else console.error(text);
    },
    end: () => line.clear(),
  };
}
