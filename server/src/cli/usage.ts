/** How commands read their arguments, and the two ways in which they end badly. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Called in a way that cannot work: exit 2. */
export class UsageError extends Error {}

/** Called rightly, yet it did not come about: exit 1. */
export class CommandFailed extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Like `parseArgs`, but what is wrong becomes a sentence that says where to look. */
export function readOptions<const T extends Options>(
  command: string,
  args: string[],
  options: T,
  words = 0,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> {
  const where = `"bellhop ${command} --help" tells what it takes.`;
  let parsed: ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const option = /(--?[^\s'=<,]+)/.exec(message)?.[1] ?? args[0];
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      throw new UsageError(`"bellhop ${command}" takes no "${option}"; ${where}`);
    }
    const needsValue = Object.entries(options).some(
      ([name, { type }]) => `--${name}` === option && type === 'string',
    );
    const needs = needsValue ? 'needs a value' : 'takes no value';
    throw new UsageError(`"${option}" of "bellhop ${command}" ${needs}; ${where}`);
  }
  const extra = parsed.positionals[words];
  if (extra !== undefined) {
    throw new UsageError(`"bellhop ${command}" takes no "${extra}"; ${where}`);
  }
  return parsed;
}

export function readWholeNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(
    `${option} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}.`,
  );
}

export function readChoice<const T extends string>(
  option: string,
  text: string,
  choices: readonly T[],
): T {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  const last = choices.at(-1);
  const others = choices.slice(0, -1).join(', ');
  throw new UsageError(`${option} must be ${others} or ${last}, not ${JSON.stringify(text)}.`);
}

export function readHttpUrl(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
  throw new UsageError(
    `${option} must be an address such as http://127.0.0.1:8090, not ${JSON.stringify(text)}.`,
  );
}
