/**
 * One wide line per request and per webhook attempt, on stderr (stdout belongs to the start-up text and
 * the ready line). Every line is JSON here; on a terminal the output makes it shorter (logging/). Lines
 * are written in the background in blocks: a write per request would cost more than the answer. No line
 * ever holds an API key, a token or an Authorization header.
 */
import { LogLines } from './logging/lines.ts';
import { createLogger, type LeveledLog, type LogLevel } from './logging/logger.ts';
import { type LogOutput, stderrOutput } from './logging/output.ts';
import { RepeatedLines } from './logging/repeated-lines.ts';

export type { Log } from './logging/logger.ts';

export interface ProcessLog extends LeveledLog {
  /** Takes whole lines of another thread's log, and how many that thread had to drop. */
  take(lines: Uint8Array, dropped: number): void;
  end(): Promise<void>;
}

export function createLog(
  level: LogLevel,
  parts: { output?: LogOutput; onDropped?: (lines: number) => void } = {},
): ProcessLog {
  const { output = stderrOutput(), onDropped = () => {} } = parts;
  const repeated = new RepeatedLines();
  const lines = new LogLines({ output, onDropped, onExit: () => repeated.flush() });
  return {
    ...createLogger(level, (line) => lines.write(line), repeated),
    take: (bytes, dropped) => lines.take(bytes, dropped),
    end() {
      repeated.flush();
      return lines.end();
    },
  };
}
