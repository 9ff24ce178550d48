/**
 * Writes log lines as JSON. We wrote it ourselves because a line is written on every call and every
 * attempt: see `infoJson`.
 */
import { errorFields } from './error-fields.ts';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

type Fields = Readonly<Record<string, unknown>>;

interface Write {
  (fields: object, message: string): void;
  (message: string): void;
}

export interface Log {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  /** A logger whose lines begin with these fields. */
  child(fields: Fields): Log;
  /**
   * A line at level info whose fields are already JSON; the fields of `child` are not added. For lines
   * that are written on every call: a general-purpose logger takes 6 µs to build one, which was a sixth
   * of a whole overview call.
   */
  infoJson(fields: string): void;
}

/** `write` gets whole lines, each with its newline. */
export function createLogger(level: LogLevel, write: (line: string) => void): Log {
  return loggerWith('', level, write);
}

/** `bound` is the JSON of the fields that every line has, each with a comma before it. */
function loggerWith(bound: string, level: LogLevel, write: (line: string) => void): Log {
  const least = logLevels.indexOf(level);
  const writerAt = (name: LogLevel): Write => {
    if (logLevels.indexOf(name) < least) return () => {};
    const start = `{"level":"${name}"`;
    return (...said: [object, string] | [string]) => {
      const [fields, message] = said.length === 1 ? [{}, said[0]] : said;
      write(`${start}${timeField()}${bound}${json(fields)},"msg":${JSON.stringify(message)}}\n`);
    };
  };
  const isInfoWritten = logLevels.indexOf('info') >= least;
  return {
    debug: writerAt('debug'),
    info: writerAt('info'),
    warn: writerAt('warn'),
    error: writerAt('error'),
    child: (fields) => loggerWith(bound + json(fields), level, write),
    infoJson(fields) {
      if (isInfoWritten) write(`{"level":"info"${timeField()},${fields}}\n`);
    },
  };
}

/** The fields as JSON, each with a comma before it. Never throws: a call must not fail because of its log line. */
function json(fields: object): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    const written = valueJson(value);
    if (written !== undefined) text += `,${JSON.stringify(name)}:${written}`;
  }
  return text;
}

function valueJson(value: unknown): string | undefined {
  try {
    if (typeof value === 'bigint') return String(value);
    return JSON.stringify(value instanceof Error ? errorFields(value) : value);
  } catch (error) {
    return JSON.stringify(`This field could not be written: ${error}`);
  }
}

const latest = { nowMs: 0, field: '' };

/** ISO 8601, formatted once per millisecond: a Date for each line takes 1 µs. */
function timeField(): string {
  const nowMs = Date.now();
  if (nowMs !== latest.nowMs) {
    latest.nowMs = nowMs;
    latest.field = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return latest.field;
}
