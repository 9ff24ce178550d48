/**
 * A command as data: its options with their texts, defaults and choices. Each program has its own parser and help,
 * made from the same declaration: `bellhop` has a library for that, and this package has no dependencies.
 */
import { readDuration } from '../duration.ts';
import { UsageError } from './failures.ts';

export interface DeclaredOption {
  /** As in the help: `--port <n>`, or `--json` for one that takes no value. */
  flags: string;
  description: string;
  choices?: readonly string[];
  default?: unknown;
  /** If it does not speak for itself. */
  shownDefault?: string;
  /** Read if the option is not given. It is a secret, so a file may hold it: the variable with `_FILE` names it. */
  env?: string;
  isHidden?: true;
  /** Returns the value, or throws a UsageError. `earlier`: the values of an option that is repeated. */
  read?(text: string, earlier?: never): unknown;
}

export interface DeclaredCommand {
  name: string;
  summary: string;
  /** After the name, one for each way to call it. */
  usage: readonly string[];
  description: string;
  argument?: { name: string; description: string };
  /** By the name that the value has in the program. */
  options: Readonly<Record<string, DeclaredOption>>;
  /** After the name of the program. */
  examples: readonly string[];
}

/** `orElse` names what else the option takes. */
export function wholeNumber(
  option: string,
  least: number,
  most: number,
  orElse = '',
): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new UsageError(
      `${option} must be a whole number from ${least} to ${most}${orElse}, not ${JSON.stringify(text)}.`,
    );
  };
}

/** Reads to milliseconds. */
export function positiveTime(option: string): (text: string) => number {
  return (text) => {
    const read = readDuration(text);
    if (typeof read !== 'number') throw new UsageError(`${option} ${read.problem}.`);
    if (read === 0) throw new UsageError(`${option} must be longer than 0.`);
    return read;
  };
}

export function httpUrl(option: string): (text: string) => string {
  return (text) => {
    if (/^https?:/i.test(text) && canParse(text)) return text;
    throw new UsageError(
      `${option} must be a URL such as http://127.0.0.1:8090, not ${JSON.stringify(text)}.`,
    );
  };
}

function canParse(text: string): boolean {
  try {
    new URL(text);
    return true;
  } catch {
    return false;
  }
}

/** Every value of an option that may be given several times. */
export function repeated(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

/** A value from the environment often has a line break at its end. */
export function trimmed(text: string): string {
  return text.trim();
}

/** From the environment, the key is hidden from other users of the machine. */
export function apiKeyOption(description: string) {
  return { flags: '--api-key <key>', description, env: 'BELLHOP_API_KEY', read: trimmed };
}

/** "a", "a or b", "a, b or c". */
export function either(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
