/**
 * Writes log lines as JSON. We wrote it ourselves because a line is written on every call and every
 * attempt: see `infoJson`.
 */
import { briefly, errorFields } from './error-fields.ts';
import { RepeatedLines } from './repeated-lines.ts';

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

/** Also decides for its children. */
export interface LeveledLog extends Log {
  setLevel(level: LogLevel): void;
}

/** `write` gets whole lines, each with its newline. */
export function createLogger(
  level: LogLevel,
  write: (line: string) => void,
  repeated = new RepeatedLines(),
): LeveledLog {
  const parts: LoggerParts = { least: logLevels.indexOf(level), write, repeated };
  return {
    ...loggerWith('', parts),
    setLevel(next) {
      parts.least = logLevels.indexOf(next);
    },
  };
}

interface LoggerParts {
  /** The index of the lowest level that is written. */
  least: number;
  write(line: string): void;
  repeated: RepeatedLines;
}

/** `bound` is the JSON of the fields that every line has, each with a comma before it. */
function loggerWith(bound: string, parts: LoggerParts): Log {
  const { write, repeated } = parts;
  const writerAt = (name: LogLevel): Write => {
    const severity = logLevels.indexOf(name);
    const writeJson = (text: string, message: string) =>
      write(`{"level":"${name}"${timeField()}${bound}${text},"msg":${JSON.stringify(message)}}\n`);
    const isTrouble = name === 'warn' || name === 'error';
    return (...said: [object, string] | [string]) => {
      if (severity < parts.least) return;
      const [fields, message] = said.length === 1 ? [{}, said[0]] : said;
      if (isTrouble) {
        const what = sameIn(fields);
        const writeCount = (count: number) => writeJson(`${what},"repeated":${count}`, message);
        if (!repeated.isWritten(`${name} ${message}${bound}${what}`, writeCount)) return;
      }
      writeJson(json(fields), message);
    };
  };
  const info = logLevels.indexOf('info');
  return {
    debug: writerAt('debug'),
    info: writerAt('info'),
    warn: writerAt('warn'),
    error: writerAt('error'),
    child: (fields) => loggerWith(bound + json(fields), parts),
    infoJson(fields) {
      if (info >= parts.least) write(`{"level":"info"${timeField()},${fields}}\n`);
    },
  };
}

/** These tell one case of a failure from the next. */
const OF_ONE_CASE: ReadonlySet<string> = new Set(['request_id', 'url', 'delivery']);

/** The fields as JSON, each with a comma before it. Never throws: a call must not fail because of its log line. */
function json(fields: object, describe: (error: Error) => object = errorFields): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    const written = valueJson(value, describe);
    if (written !== undefined) text += `,${JSON.stringify(name)}:${written}`;
  }
  return text;
}

/** What lines about the same failure have in common: also the error, but not its stack. */
function sameIn(fields: object): string {
  const same = Object.entries(fields).filter(([name]) => !OF_ONE_CASE.has(name));
  return json(Object.fromEntries(same), briefly);
}

function valueJson(value: unknown, describe: (error: Error) => object): string | undefined {
  try {
    if (typeof value === 'bigint') return String(value);
    return JSON.stringify(value instanceof Error ? describe(value) : value);
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
