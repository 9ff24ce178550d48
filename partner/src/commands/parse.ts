/** Reads the arguments of a command as it is declared. Whatever is wrong with them is a UsageError. */
import { parseArgs } from 'node:util';
import { type DeclaredCommand, type DeclaredOption, either } from './declared.ts';
import { UsageError } from './failures.ts';
import { secretVariable, type Variables } from './secret-variable.ts';

export interface Parsed {
  argument: string | undefined;
  /** With defaults and variables. */
  values: Record<string, unknown>;
  /** Named on the command line. */
  given: ReadonlySet<string>;
  wantsHelp: boolean;
}

/** `called`: the program and the command as people call them. */
export function parseCommand(
  { argument, options }: DeclaredCommand,
  called: string,
  args: string[],
  env: Variables,
): Parsed {
  const seeHelp = `See "${called} --help".`;
  const known = new Map(
    Object.entries(options).map(([key, option]) => [flagOf(option), { key, option }]),
  );
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  const words: string[] = [];
  const parsed: Parsed = { argument: undefined, values, given, wantsHelp: false };

  for (const token of tokensOf(
    args,
    [...known.values()].map(({ option }) => option),
  )) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      words.push(token.value);
      continue;
    }
    const { rawName, value, inlineValue } = token;
    if (rawName === '--help' || rawName === '-h') return { ...parsed, wantsHelp: true };
    const found = known.get(rawName);
    if (!found) throw new UsageError(`"${called}" has no "${rawName}". ${seeHelp}`);
    const { key, option } = found;
    given.add(key);
    if (!takesValue(option)) {
      if (inlineValue) throw new UsageError(`"${rawName}" takes no value. ${seeHelp}`);
      values[key] = true;
      continue;
    }
    if (value === undefined) throw new UsageError(`"${rawName}" needs a value. ${seeHelp}`);
    if (!inlineValue && value.startsWith('--')) {
      throw new UsageError(`"${rawName}" needs a value, not "${value}". ${seeHelp}`);
    }
    values[key] = readValue(option, value, values[key]);
  }

  const extra = words[argument ? 1 : 0];
  if (extra !== undefined) throw new UsageError(`"${called}" has no "${extra}". ${seeHelp}`);
  for (const [key, option] of Object.entries(options)) {
    if (given.has(key)) continue;
    const text = option.env === undefined ? undefined : secretVariable(env, option.env);
    values[key] = text === undefined ? option.default : readValue(option, text, undefined);
  }
  return { ...parsed, argument: words[0] };
}

/** The parser of Node only cuts the arguments into pieces: what it would say about them is not a sentence. */
function tokensOf(args: string[], options: DeclaredOption[]) {
  const types = options.map((option) => {
    const type = takesValue(option) ? ('string' as const) : ('boolean' as const);
    return [flagOf(option).slice(2), { type }] as const;
  });
  const { tokens } = parseArgs({
    args,
    options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens;
}

function readValue(option: DeclaredOption, text: string, earlier: unknown): unknown {
  const { choices, read } = option;
  if (choices && !choices.includes(text)) {
    throw new UsageError(
      `${flagOf(option)} must be ${either(choices)}, not ${JSON.stringify(text)}.`,
    );
  }
  // What it returned for the one before; each option has its own type.
  return read ? read(text, earlier as never) : text;
}

function flagOf({ flags }: DeclaredOption): string {
  return flags.split(' ')[0] as string;
}

function takesValue({ flags }: DeclaredOption): boolean {
  return flags.includes(' ');
}
