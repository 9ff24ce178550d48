/** Writes the log in the form that BELLHOP_LOG_FORMAT asks for. */
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { printable } from '@bellhop/partner/printable';
import { type LogOutput, stderrOutput } from './output.ts';

const STDERR = 2;
const NOTHING = new Uint8Array();

export type LogFormat = 'auto' | 'pretty' | 'json';

/** For the main thread, which also writes the lines of the others. */
export function outputIn(format: LogFormat): LogOutput {
  const isPretty = format === 'pretty' || (format === 'auto' && isatty(STDERR));
  return isPretty ? prettyOutput(stderrOutput()) : stderrOutput();
}

/** Takes whole JSON lines. Reports them as written only when all of them are: a part has no counterpart in the JSON. */
export function prettyOutput(output: LogOutput, paint: Paint = paintForStderr): LogOutput {
  let unwritten: Uint8Array = NOTHING;

  function writeRest(done: (error: Error | null, isWritten: boolean) => void): void {
    output.write(unwritten, (error, written = 0) => {
      unwritten = unwritten.subarray(written);
      if (unwritten.length === 0) done(null, true);
      else if (error || written === 0) done(error, false);
      else writeRest(done);
    });
  }

  return {
    write(bytes, done) {
      // After a failure the caller comes back with the same lines, of which this much is left.
      if (unwritten.length === 0) unwritten = prettyLines(bytes, paint);
      writeRest((error, isWritten) => done(error, isWritten ? bytes.length : 0));
    },
    writeAtExit: (bytes, isBusy) => output.writeAtExit(prettyLines(bytes, paint), isBusy),
  };
}

function prettyLines(bytes: Uint8Array, paint: Paint): Uint8Array {
  const lines = Buffer.from(bytes).toString().split('\n');
  const isWhole = lines.at(-1) === '';
  if (isWhole) lines.pop();
  const text = lines.map((line) => prettyLine(line, paint)).join('\n');
  return Buffer.from(isWhole ? `${text}\n` : text);
}

/**
 * A log line for a person at a terminal: time, level, environment, what happened, then the other fields.
 * It is made from the JSON line, so the code that logs knows one form only. Ids that nobody reads while
 * they watch a terminal are left out; BELLHOP_LOG_FORMAT=json has everything.
 */
type Colour = 'red' | 'yellow' | 'green' | 'dim';
export type Paint = (colour: Colour, text: string) => string;

/** `styleText` checks the stream and NO_COLOR itself. */
const paintForStderr: Paint = (colour, text) => styleText(colour, text, { stream: process.stderr });

type Fields = Record<string, unknown>;

const LEVELS: Record<string, Colour> = { error: 'red', warn: 'yellow', info: 'green' };
const LEFT_OUT = new Set(['request_id', 'partner_id', 'midoffice_id']);
/** Values that are clear without quotes. */
const PLAIN = /^[^\s"'=]+$/;

/** Takes a line without its newline. A text that is not a log line stays as it is. */
export function prettyLine(line: string, paint: Paint): string {
  const fields = parsed(line);
  if (!fields) return printable(line);
  const { level, time, environment, msg, err, ...others } = fields;
  const { text, rest } = headline(String(msg ?? ''), others);
  const details = Object.entries(rest)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${printable(name)}=${shown(value)}`);
  const words = [
    paint('dim', clock(time)),
    paint(LEVELS[String(level)] ?? 'dim', String(level).padEnd('error'.length)),
    ...(typeof environment === 'string' ? [printable(environment)] : []),
    printable(text),
    ...(details.length > 0 ? [paint('dim', details.join(' '))] : []),
  ];
  return words.join('  ') + errorText(err, paint);
}

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'level' in value
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The two lines that are written most begin with what people look for. */
function headline(msg: string, fields: Fields): { text: string; rest: Fields } {
  if (msg === 'request') {
    const { method, path, status, real_ip: _, ...rest } = fields;
    return { text: `${method} ${path} ${status}`, rest };
  }
  if (msg === 'attempt') {
    const { attempt, outcome, status, ...rest } = fields;
    return { text: `webhook attempt ${attempt} ${outcome}${status ? ` ${status}` : ''}`, rest };
  }
  return { text: msg, rest: fields };
}

function shown(value: unknown): string {
  const text = typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value);
  return printable(text);
}

/** Of the machine's time zone: the reader compares it with the clock on the wall. */
function clock(time: unknown): string {
  const at = new Date(String(time));
  if (Number.isNaN(at.getTime())) return '??:??:??.???';
  return `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

/** The message on a line of its own, then the stack without repeating it. */
function errorText(err: unknown, paint: Paint): string {
  if (typeof err !== 'object' || err === null) return '';
  const { type, message, stack } = err as Record<string, unknown>;
  const frames = String(stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at |^caused by: /.test(line))
    .map((line) => paint('dim', `      ${printable(line.trim())}`));
  return ['', `    ${paint('red', printable(`${type}: ${message}`))}`, ...frames].join('\n');
}
